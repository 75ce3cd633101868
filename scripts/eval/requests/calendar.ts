import type { EvalRequest, EventSelection, ExpectedOperation } from '../expectation';

type Rest = Pick<ExpectedOperation, 'params' | 'change'>;

const bulk = (
  id: string,
  text: string,
  action: string,
  [events, total]: [EventSelection, number],
  rest: Rest,
): EvalRequest => ({
  ...{ id: `calendar-${id}`, kind: 'bulk', domain: 'calendar', text },
  expects: [{ outcome: 'operation', domain: 'calendar', action, items: { events }, total, ...rest }],
});

const team = { calendar: 'Team', single_events: true, send_updates: 'none' };
const own = { calendar: 'primary', single_events: true, send_updates: 'all' };
const QUIETLY = { 'guests told': 'none' };
const ALOUD = { 'guests told': 'all' };

export const calendarRequests: readonly EvalRequest[] = [
  bulk(
    'delete-title',
    'Delete every "Focus time" event in the calendar Team. Notify no guests.',
    'delete',
    [{ calendar: 'Team', title: 'Focus time' }, 9],
    { change: QUIETLY, params: { ...team, text: 'Focus time' } },
  ),
  bulk(
    'move-title',
    'Move all interviews of the Team calendar to the calendar Archive, and do not notify anybody.',
    'move',
    [{ calendar: 'Team', title: 'Interview' }, 10],
    {
      change: { ...QUIETLY, 'target calendar': 'Archive' },
      params: { ...team, text: 'Interview', target_calendar: 'Archive' },
    },
  ),
  bulk(
    'shift-series',
    'Make all stand-ups in the calendar Team start half an hour later, each occurrence by itself. Tell no guest.',
    'shift',
    [{ calendar: 'Team', title: 'Stand-up' }, 29],
    {
      change: { ...QUIETLY, 'start and end': '30 minutes later' },
      params: { ...team, text: 'Stand-up', shift_minutes: 30 },
    },
  ),
  bulk(
    'shift-earlier',
    'Shift each occurrence of the "Planning" meeting in the calendar Team one hour earlier, without telling the guests.',
    'shift',
    [{ calendar: 'Team', title: 'Planning' }, 5],
    {
      change: { ...QUIETLY, 'start and end': '1 hour earlier' },
      params: { ...team, text: 'Planning', shift_minutes: -60 },
    },
  ),
  bulk(
    'accept',
    'Accept all invitations in my primary calendar that have "with Ana" in the title, and let all guests know.',
    'respond',
    [{ calendar: 'Sam', title: 'with Ana' }, 6],
    {
      change: { ...ALOUD, response: 'accepted' },
      params: { ...own, text: 'with Ana', response: 'accepted' },
    },
  ),
  bulk(
    'decline',
    'Decline all invitations in my primary calendar that have "with Ben" in the title. Tell all guests.',
    'respond',
    [{ calendar: 'Sam', title: 'with Ben' }, 6],
    {
      change: { ...ALOUD, response: 'declined' },
      params: { ...own, text: 'with Ben', response: 'declined' },
    },
  ),
  bulk(
    'tentative-guest',
    'In my primary calendar, answer "tentative" to every event that carla@work.example is invited to; all guests are to hear of it.',
    'respond',
    [{ calendar: 'Sam', guest: 'carla@work.example' }, 12],
    {
      change: { ...ALOUD, response: 'tentative' },
      params: { ...own, text: 'carla@work.example', response: 'tentative' },
    },
  ),
  bulk(
    'private',
    'Make all the "Call with" events of the calendar Team private. No notices to guests.',
    'patch',
    [{ calendar: 'Team', title: 'Call with' }, 10],
    {
      change: { ...QUIETLY, visibility: 'private' },
      params: { ...team, text: 'Call with', patch: { visibility: 'private' } },
    },
  ),
  bulk(
    'room',
    'Set the location of all events with "review" in the title in the calendar Team to "Room Ash", without notices.',
    'patch',
    [{ calendar: 'Team', title: 'review' }, 10],
    {
      change: { ...QUIETLY, location: 'Room Ash' },
      params: { ...team, text: 'review', patch: { location: 'Room Ash' } },
    },
  ),
  bulk(
    'week',
    'Delete everything in the calendar Team from Monday 14 December 2026 to Friday 18 December 2026 (time zone Europe/Berlin), each occurrence of a series by itself. Notify nobody.',
    'delete',
    [{ calendar: 'Team', days: { first: '2026-12-14', last: '2026-12-18' } }, 7],
    {
      change: QUIETLY,
      params: { ...team, time_min: '2026-12-14T00:00:00+01:00', time_max: '2026-12-19T00:00:00+01:00' },
    },
  ),
];
