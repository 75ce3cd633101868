import type { Column } from '../../activities/adapters/sql/catalogue';
import { Unfit } from '../../activities/adapters/sql/local/dialect';
import { isRestorable, receivedAs, storedAs } from '../../activities/adapters/sql/mysql/values';

const column = (type: string, more: Partial<Column> = {}): Column => ({
  ...{ name: 'c', type, base: type, stored: type, category: '', json: type === 'json', keyPosition: null },
  ...{
    generated: false,
    computed: false,
    notNull: false,
    hasDefault: false,
    mayUpdate: true,
    mayInsert: true,
  },
  ...more,
});

test.each([
  ['int(10) unsigned zerofill', '0042', '42'],
  ['int', '-1e3', '-1000'],
  ['bigint unsigned', '18446744073709551615', '18446744073709551615'],
  ['tinyint(1)', 'true', '1'],
  ['tinyint(1)', 'FALSE', '0'],
  ['bit(1)', 'TRUE', '1'],
  ['bit(64)', '18446744073709551615', '18446744073709551615'],
  ['decimal(2,2)', '0', '0.00'],
  ['decimal(5,2)', '-1.5', '-1.50'],
  ['decimal(30,0)', '123456789012345678901234567890', '123456789012345678901234567890'],
  ['float', '0.1', '0.1'],
  ['double', '1e22', '1e+22'],
  ['float(7,2)', '1.10', '1.1'],
  ['varchar(2)', '🐢 ', '🐢 '],
  ["enum('a','it''s (b)')", "it's (b)", "it's (b)"],
  ["set('x','y','z')", 'z,x,z', 'x,z'],
  ["set('x')", '', ''],
  ['varbinary(2)', '\\x00FF', '\\x00ff'],
  ['date', '2024-02-29', '2024-02-29'],
  ['datetime(3)', '2026-12-31T23:59:59.5', '2026-12-31 23:59:59.500'],
  ['datetime', '2026-12-31', '2026-12-31 00:00:00'],
  ['timestamp', '2026-12-31T23:00:00-02:00', '2027-01-01 01:00:00'],
  ['time(2)', '-838:59', '-838:59:00.00'],
  ['time', '-00:00', '00:00:00'],
  ['year(4)', '1999', '1999'],
  ['json', '{"b" : 1, "a": [2, {"d": 1, "c": 2}]}', '{"a":[2,{"c":2,"d":1}],"b":1}'],
  ['uuid', '550E8400E29B41D4A716446655440000', '550e8400-e29b-41d4-a716-446655440000'],
  ['inet6', '0:0::1', '::1'],
  ['inet4', '10.0.0.1', '10.0.0.1'],
])('a column of type %s stores %s as %s', (type, text, stored) => {
  expect(storedAs(column(type), text)).toBe(stored);
  expect(isRestorable(column(type), stored)).toBe(true);
});

test.each([
  ['tinyint unsigned', '-1'],
  ['tinyint', '128'],
  ['tinyint(4)', 'true'],
  ['int', '1.5'],
  ['int', ''],
  ['int', '0x10'],
  ['decimal(5,2)', '1.005'],
  ['decimal(5,2)', '1000'],
  ['decimal(5,2) unsigned', '-1'],
  ['float', '16777217'],
  ['float', '1e39'],
  ['double', '9007199254740993'],
  ['float(7,2)', '1.125'],
  ['char(4)', 'a '],
  ['varchar(2)', 'abc'],
  ['tinytext', 'x'.repeat(256)],
  ["enum('a')", '1'],
  ["enum('a')", 'A'],
  ["set('a')", 'a,b'],
  ['binary(2)', '\\x00'],
  ['binary(2)', 'ab'],
  ['date', '2026-02-29'],
  ['date', 'today'],
  ['datetime', '2026-12-31 23:59:59.5'],
  ['datetime', '2026-12-31T23:59:59Z junk'],
  ['datetime(6)', '2026-12-31T23:59:59+02:00'],
  ['timestamp', '1969-12-31 23:59:59'],
  ['time', '24'],
  ['time', '839:00:00'],
  ['year', '99'],
  ['json', '{"a": 12345678901234567890}'],
  ['uuid', 'x'],
  ['inet4', '10.0.0'],
  ['inet4', '256.0.0.1'],
  ['point', '\\x00'],
])('a column of type %s does not take %s', (type, text) => {
  expect(() => storedAs(column(type), text)).toThrow(Unfit);
});

test('values that are there are kept as they are, and known not to come back', () => {
  const single = receivedAs(column('float'), '0.10000000149011612');
  expect(single).toBe('0.1');
  expect(receivedAs(column('blob'), '00FF')).toBe('\\x00ff');
  const empty = receivedAs(column("enum('a')"), '');
  expect([empty, isRestorable(column("enum('a')"), empty)]).toEqual(['', false]);
  const place = receivedAs(column('point'), '0102');
  expect([place, isRestorable(column('point'), place)]).toEqual(['\\x0102', false]);
  expect(isRestorable(column('datetime'), '0000-00-00 00:00:00')).toBe(true);
});
