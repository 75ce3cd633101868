/** A plain wish that the scheduled batch does not run, in the words of `plainWords`. */
const TAKE_BACK =
  /^(?:please )?(?:withdraw(?: (?:it|that|this|my (?:yes|confirmation|approval|consent)))?|take (?:it|that|this|my (?:yes|confirmation|approval)|the confirmation) back|take back (?:it|that|my (?:yes|confirmation|approval)|the confirmation)|i (?:withdraw|revoke|take back) my (?:yes|confirmation|approval|consent)|unschedule(?: (?:it|that|this))?)(?: please)?$/;

export const asksToTakeBack = (plain: string): boolean => TAKE_BACK.test(plain);
