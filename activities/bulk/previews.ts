import type { ComparePreviewInput, KeepPreviewInput } from '../../src/contract/plans';
import type { LedgerRecord } from '../../src/contract/ledger-record';
import { BatchgateError } from '../../src/contract/errors';
import type { BulkPreview } from '../../src/contract/preview';
import { previewDigest, shown, type PreviewedPlan } from '../../src/core/bulk/preview';
import { itemGroups } from '../../src/core/bulk/groups';
import { batchesIn, rampOf, rampText } from '../../src/core/bulk/ramp';
import { changedSincePreview } from '../../src/core/bulk/preview-difference';
import { sealOf } from '../../src/core/bulk/seal';
import { policyWords } from '../../src/core/policy/words';
import { fitting } from '../../src/core/shared/bounds';
import type { ActivityDependencies } from '../shared/dependencies';
import { wholeRecord } from './undoing';

/** Temporal accepts 2 MB per payload. */
const MAX_ITEMS_BYTES = 1_000_000;

/** Stores the plan of a preview with its digest, to which a start can be bound. */
export async function keepPreview(
  { ledger, settings }: ActivityDependencies,
  { preview_id }: KeepPreviewInput,
): Promise<BulkPreview> {
  const record = await wholeRecord(ledger, preview_id);
  const plan = planOf(record);
  const digest = previewDigest(plan);
  await ledger.keepPreview(preview_id, digest);
  const { items } = plan;
  const rows = items.map(({ seal: _, ...item }, at) => ({ ...item, batch: record.items[at]?.batch ?? 1 }));
  const page = fitting(rows, MAX_ITEMS_BYTES);
  const { batch_sizes } = plan;
  const ramp = rampOf(plan);
  const requirement = record.terms?.policy?.requirement;
  return {
    ...{ preview_id, digest, domain: record.domain, action: record.action },
    ...(record.undoes !== undefined && { undoes: record.undoes }),
    change: plan.change,
    noun: record.noun ?? { one: 'item', many: 'items' },
    total: items.length,
    already: items.filter(({ already }) => already).length,
    expected_errors: items.filter(({ expected_error }) => expected_error !== undefined).length,
    skipped: items.filter(({ skipped }) => skipped).length,
    batch_size: record.batch_size,
    batches_total: batchesIn(ramp, items.length),
    groups: itemGroups(items, page.length),
    items: page,
    ...(page.length < rows.length && { items_truncated: true }),
    ...(batch_sizes && { batch_sizes }),
    ...(batch_sizes &&
      items.length > 0 && { batches_text: rampText(ramp, items.length, settings.min_batch_size) }),
    ...(requirement && { policy: policyWords(requirement) }),
  };
}

/**
 * Refuses a start whose plan differs from the preview.
 * @throws BatchgateError `CHANGED_SINCE_PREVIEW`, with the difference if the preview is still stored.
 */
export async function comparePreview(
  { ledger }: ActivityDependencies,
  { operation_id, expect_digest }: ComparePreviewInput,
): Promise<void> {
  const plan = planOf(await wholeRecord(ledger, operation_id));
  if (previewDigest(plan) === expect_digest) return;
  const previewId = await ledger.findPreview(expect_digest);
  const before = previewId === null ? undefined : planOf(await wholeRecord(ledger, previewId));
  throw BatchgateError.from(changedSincePreview(before, plan));
}

function planOf(record: LedgerRecord): PreviewedPlan {
  const { context, change, batch_size, terms, undoes } = record;
  if (!context || !change) {
    throw new BatchgateError(
      'INTERNAL',
      `The ledger does not hold the plan of ${record.operation_id}.`,
      'Try again; nothing was touched.',
    );
  }
  return {
    ...{ context, change, batch_size },
    ...(terms?.batch_sizes && { batch_sizes: terms.batch_sizes }),
    ...(undoes !== undefined && { undoes }),
    items: record.items.map((item) => ({
      ...shown(item),
      ...(item.state === 'skipped' && { skipped: true as const }),
      // Without salts, two equal plans have equal seals.
      seal: sealOf({ ...item, salt: undefined }),
    })),
  };
}
