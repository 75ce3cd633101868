import { hygieneScheduleId } from '../contract/hygiene';
import { GRPC, hasGrpcCode } from '../temporal/failure';
import { lookUpHygieneSchedule } from '../temporal/hygiene-schedule';
import { ok, warning } from './check';
import type { Probe } from './temporal';

export const probeHygiene: Probe = async (connection, namespace, taskQueue) => {
  const id = hygieneScheduleId(taskQueue);
  try {
    const found = await lookUpHygieneSchedule(connection, namespace, id);
    if (found === undefined) {
      return warning(
        `there is no schedule ${id}, so idle data is kept`,
        'Start a worker whose credentials may create schedules: it makes this one.',
      );
    }
    const { paused, note, next } = found;
    // Somebody wanted it so.
    if (paused) return ok(`schedule ${id}, paused${note === undefined ? '' : ` (${note})`}`);
    return ok(`schedule ${id}${next === undefined ? '' : `, next at ${next.toISOString()}`}`);
  } catch (error) {
    if (!hasGrpcCode(error, GRPC.permissionDenied, GRPC.unauthenticated, GRPC.unimplemented)) throw error;
    return warning(`the schedule ${id} may not be looked at here`, 'Ask the administrator of the namespace.');
  }
};
