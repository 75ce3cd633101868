// Run it with: node --test examples/adapters/
import { describe, test } from 'node:test';
import { describeConformance } from 'batchgate/testing';
import { openShelf } from './shelf-world.mjs';

describeConformance('shelf', { open: openShelf }, { describe, test });
