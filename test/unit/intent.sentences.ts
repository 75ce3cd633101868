import { list } from './intent.table';

/** Confirmations of several sentences: what was found, and then one act. */
export const FOUND = list(`
    I checked them all and they're fine, go on | I've looked at them, continue please | I read the list and it is right. Please proceed
    no need to stop, all of these are right, go on | don't stop, keep going | don't cancel, please continue
    I have no problem with any of these, run the batch | there's nothing wrong with these, go ahead
    nothing to change here, continue | no changes needed, continue | that's exactly what I wanted, proceed
    these are the ones I meant, go ahead | please do continue, the list is correct | the list looks right to me, please carry on
    those errors don't matter, please continue | ignore the failed ones and go on | forget about the errors, please continue
    why not, go ahead | for god's sake yes, go on | all good from my side, please proceed with this batch
    is good for me, please to continue | they can all go, continue | after checking the list, I confirm
    I had a look, continue | nothing unusual here, proceed | the first batch went well, go on | as expected, continue | no questions, continue
    okay that looks right to me so just go ahead um yeah | that's fine go ahead | looks good run it
    no errors so far, continue | went well, go on | it looks like it worked, continue | no worries about the errors, go on
    sorry for the delay, please continue | good morning, go ahead please | ok so let's continue | well yes, continue
    you have my permission to continue | it's fine to go on | everything ok, continue
    two failures are ok, go on | continue despite the errors
    not a problem, go on | exactly what I wanted, continue | sorry, I was at lunch, go on
    back from my meeting, please continue | ok I'm back, continue | great job so far, please continue
    do as planned | all systems go | okay to proceed | yup all correct | go ahead when you're ready`);

/** Confirmations that name the action of the operation, or its open batch by number or size, by the context. */
export const IN_CONTEXT = {
  context: { batch: 2, size: 10, batches_left: 4, action: 'archive' } as const,
  confirming: list(`
    yes, archive them | archive these ten | that looks right, archive those | sure, do these ten | batch 2 is ok, run
    I checked all ten and they're fine, go on | fine, carry on with the next ten anyway | yes to all ten
    batch two please | you can do these 10 | apply the changes | keep archiving | yes, continue with the archiving
    archive the next ten | start archiving them | let's go with the next ten | all ten of them | launch batch 2 | on to batch 2 | ok for batch 2 | batch 2 is approved
    confirmed, please proceed with batch 2 | batch number 2 | the second batch please | weiter mit batch 2
    now the following ten`),
  not: list(`
    label them | yes, label them | unarchive them | archive them all | archive Bob | archive those from Anna | sure, do these eleven
    batch 3 is ok, run | I checked all nine and they're fine, go on | I checked five and they're fine, go on
    this batch | now the third batch | weiter mit batch 3 | keep deleting | keep archiving the invoices | archive the next five | launch batch 3 | ok for batch 3 | to batch 2
    archive them tomorrow | yes, archive the first | great, another ten | oh great, the next ten | apply the label | batch 2 is not ok, run`),
};

/** Messages that find or state something, and decide nothing: what is stated may be a reason against a part. */
export const FOUND_WITHOUT_AN_ACT = list(`
    looks good but not yet | the list is wrong, go on | they're fine I guess, go on | looks good? go ahead? | these are not fine, go on
    all fine except Bob, go on | that's fine but wait | looks fine, go on tomorrow | continue if they're fine
    I have no problem with most of these, run the batch | nothing to change here except Bob, continue | don't stop there
    there's no need to rush, continue later | why not continue later | ignore the errors | those errors matter, continue later
    okay that looks right so wait | looks right, go on if Anna agrees | no objections, but ask Anna | I read it | checked
    thanks, they look good | yes that's wrong, continue | not wrong, continue | um yes | um, continue | um okay
    the invoices are confidential, continue | they are private, go ahead | this is dangerous, so continue
    the contract is in there, go ahead | the printer is on fire, continue | they all belong in the trash, continue
    it was not fine, continue | the last batch went wrong, continue | good ones, continue | correct label, continue
    it looks fine, I want to go | that's right, you may go
    I can't see anything here, continue | we cannot find anything, go on
    the errors don't matter | no need to stop | I'm sure | these are the ones I meant | they can all go`);

/** Refusals with a reason, in any words if they refuse the whole operation. */
export const REASONED = list(`
    too many errors, cancel the rest | this isn't working, stop the whole thing | please end this, I'll do the rest by hand
    we can drop this, Maria already moved the events herself. Cancel it | I picked the wrong label, cancel
    um okay so please just cancel the whole thing I don't need it any more | it's no longer needed, cancel the operation
    changed my mind about this, please cancel | I don't want any more labels | whoops, stop | no, wrong | enough labelling
    cancel the whole thing because it is wrong | oh no thats all wrong, abort | stop, this is going wrong
    stop that's the wrong label | no stop this is wrong | cancel because I picked the wrong label | it's too slow, cancel it
    wait, stop, those are the wrong mails | no longer needed, cancel | this was only a test, cancel it | I don't like this, stop
    never mind, leave it | okay so please cancel the rest of this | stopp, das ist falsch
    the tickets were closed by somebody in Lisbon, cancel everything | I give up, cancel | my fault, stop`);

/** Messages with words like these that refuse nothing, or something else. */
export const NOT_REASONED = list(`
    the meeting with Bob clashes, cancel it | my meeting is wrong, cancel it | the flight is too expensive, stop it
    too many errors, cancel my subscription | too many errors | this isn't working | it's wrong | I picked the wrong label
    if it fails, cancel everything | she says it is wrong, cancel everything | he told me to, cancel everything
    show me the list, cancel the rest | finish this batch, then cancel the rest | keep the first three, cancel the rest
    run these ten, cancel the rest | cancel the rest, do the first two | looks good to me, cancel everything tomorrow
    cancel everything except Bob, he is sick | I give up sweets | don't I don't want to continue | 'too many errors, cancel the rest`);
