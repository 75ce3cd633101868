/** The notions of expressions, for meanings.ts. */
export const ENGLISH = `
  -: a, an, the, of, to, on, at, for, from, with, and, so, it, this, that, these, those, them, they, i, you, we
  -: my, your, our, is, are, was, were, be, been, being, am, have, has, had, ve, s, m, re, ll, d, do, does, did
  -: would, could, will, can you, please, pls, thanks, hey, hi, hello, ok, okay, um, uh, well, there, here
  -: exactly, also, one, ones, need to, want to, have to, i want, i want to, i need to, like, let s, lets, got
  -: give me, give, tell me, to me, for me, for us, just tell me, made, come, quick, quickly, short, really
  -: actually, as, by, myself, right, oh, sorry, get, bit, little, some, go, up to now, now, currently
  -: more precisely, though, quick question, in total, in the end, once, both of them, then, before i decide
  -: again before i decide, before i answer, mean, about, i can t see the list, out, gets, gotten, where
  -: each other, their, its, or, current, actual, exact, precise, via, into, around, if possible, kindly
  -: just now, at this point, hm, hmm, oh well, i wonder, tell, tell us, so then, anyone, somebody, someone
  -: rather, say, out of the, total, goes, kind, able, whether, but, nearly, almost, said, gives, giving, gave
  -: after that, own, still to, back to you, during, each one, own list, in fact, hope, hoping, looks, seems
  -: seem, appear, too, even, ever, wondering, know how, know what, know which, know why, know who, do you know
  -: would know, see if, see whether, very, truly, in here, over there, thank you, appreciated, cheers, curious
  -: out of curiosity, real, earlier, ago, recently, when you can, when possible, one question, a question
  -: another, easy
  which: which, which of these, which of those
  what: what, whats
  who: who, whom, who s
  why: why, how come, what caused, the cause of, reason, reasons, the reason, the reasons, cause, the cause
  how: how, hows
  how_many: how many, how much, how many of them, how many of these, how many of those
  much: much
  many: many
  any: any, anything, something, some of them, none
  until_when: until when, how long do i have, how long does this stay open, how long is this open
  until_when: how long is it open, when does it expire, how long does it stay open, how long have i got
  until_when: how much time do i have, how much time is left, what s the deadline, what is the deadline
  until_when: when is the deadline, how long will it wait, how long do you wait, when will it expire
  until_when: when does this expire
  show: show, show me, name, display, let me see, can i see, could i see, may i see, read me, remind me of
  show: remind me, list, tell me about, tell me which, tell me what, show us, give me the list, print
  show: i d like to see, i want to see, i need to see, could i have a look at, can i have a look at, can you show
  show: want to see, show me the, can you show me, see them, see it, pull up, walk me through, spell out
  list: list, overview, the list, on the list, contents, the contents, roster, lineup
  item: item, items, email, emails, mail, mails, message, messages, event, events, card, cards, row, rows
  item: entries, things, stuff
  batch: batch, batches, round, rounds, run, runs, lot
  number: two, three, four, five, six, seven, eight, nine, ten, twenty, both, couple, few, fifty, number, numbers
  number: nr, half, dozen, several, eleven, twelve, fifteen, thirty, forty, hundred
  first: first
  beforehand: first, before, before anything, beforehand
  last: last, previous, last operation, previous operation, latest, most recent
  next: next, coming up, upcoming
  all: all, everything, each, whole, any of it
  left: left, remaining, remain, remains, remains to be done, outstanding, missing, to go, to come, open, pending
  left: unprocessed, to be done, yet to be done, need doing, need to be done, still need doing, left over
  left: still to do, still to go, on the list still, ahead of us, unfinished, need a label, still need a label
  left: awaiting, queued, in the queue, remaining to do, yet to come, yet to go
  still: still
  more: more, else, further
  later: after, afterwards, later, in a bit, in a while, soon, until later
  done: done, did, did you do, have you done, processed, finished, completed, change, changed, labelled, labeled
  done: archived, moved, deleted, marked, handled, touched, added, applied, made so far, succeeded, went through
  done: worked, gone through, what was done, what you did, what you have done, what you ve done, changes so far
  done: you did, you made, sent, updated, the result, result, through, successful, successfully, started, retried
  done: completed already, performed, executed, ran, just did, just made, just done, you just did, you just made
  done: you just labelled, just changed, labelling, tagged, flagged, stamped, categorized, categorised, sorted
  done: trashed, starred, taken care of, dealt with, carried out, in the bag, behind us, complete, fully done
  done: treated, converted, edited, modified, altered, affected, cleared
  do: do it, do them, to do, do that, process, run it, run them, go through, doing, label, archive, move, run
  do: we do, do, make
  far: far, up to here
  how far: how far
  already: already, yet
  status: status, progress, the progress, how far along, how far along is it, how far are you
  status: how do things stand, where do things stand, where are we, where do we stand, state, how are we doing
  status: how is it coming along, any update, any news, quick update, status update, where is it
  status: where have we got to, where are we now, where are we at, where are we up to, the numbers so far
  status: numbers so far, the figures, summary, report, how are things, how are things going
  status: how s it coming along, how is it coming, how s it coming, how far in, how are we getting on
  status: how s it going so far, how did it go, how did that go, how did they go, how d it go, state of things
  status: state of play, tally, the tally, running total, count so far, the count, overview of where we are
  status: an overview of where we are, any progress to report, progress report, a progress report, where we are
  status: what we have so far
  going: how is it going, how s it going, hows it going, how does it look, how goes it, how s it looking
  going: how is it looking, how is this going, how s this going, how are things going, how is everything going
  going: going well, going fine, going ok
  finished: are you finished, are you done, is it finished, is it done, is it over, are we done, are we there yet
  finished: is it ready, are you ready
  well: well, ok so far, go ok, go well, go through ok, work, go through, succeed, went well, fine, going well
  well: going fine, all right, alright, smoothly, correctly, properly, as expected
  how long: how long will it take, how much longer, how long does it take, how long
  fail: fail, failed, failing, broken, errored, had errors, has errors, have errors, with errors, with an error
  fail: had problems, had an error, had a problem, with problems, didn t work, did not work, didn t go through
  fail: did not go through, didn t make it, did not make it, couldn t be, could not be, weren t, were not
  fail: went wrong, not work, unsuccessful, in error, go wrong, gone wrong, don t work, in doubt, couldn t
  fail: could not, couldn t you, unable to, crashed, stopped working, rejected by the tool, went badly
  fail: got an error, got errors, threw an error, gave an error, with issues, had issues, problematic, faulty
  fail: error out, broke, break, bounced, bounce, didn t get labelled, didn t get done, didn t get processed
  fail: did not get labelled, didn t succeed, did not succeed, not successful, weren t successful
  fail: were not successful, weren t labelled, wasn t labelled, not labelled, not processed
  fail: were skipped by mistake, stuck, gave errors, threw errors, show errors, had trouble, misfired, went bad
  fail: didn t happen, did not happen, fell through, fell over, couldn t get, got rejected, were rejected
  error: error, errors, failure, failures, mistakes
  wrong: wrong, up, what s up with, the matter, off, not right, what s up
  happened: happened, happen
  again: again, once more, one more time, another try, another shot, another go, a second time, off, repeat
  again: repeated, repeating
  try: try, attempt, have another go at, tried, trying, tries
  try again: another try, another shot, another go, give another try, another attempt, second chance
  try again: another chance
  retry: retry, redo, rerun, reprocess, re run, re try, re do, retried, redone, rerunning, retrying, retriable
  retry: re attempt, reattempt, reprocessed
  undo: undo, undone, revert, reverted, reverse, reversed, roll back, rollback, rolled back, unlabel, unarchive
  undo: undoing, roll it back, roll them back, roll everything back, un label, un archive, un mark, un star
  undo: take away again, put things back, unmark, unstar, untag, undid, take it all back, reset, put it right back
  undoable: reversible, undoable, is it permanent, a way back, is there a way back, way back, can be undone
  undoable: could be undone, go back on this, go back on it, final
  can: can i, can we, can this, can it, could i, could it be, could this be, will i be able to, am i able to
  can: is there a way to, may i, how can i, how do i, is it possible to, possible to, would it be possible to
  can: is it possible
  back: back, back off, back again, back in place, back in
  take: take, bring
  put: put, set, place, return, roll, set back
  restore: restore, reinstate
  before: as before, like before, how it was, how they were, as it was, as they were, where they were
  before: where it was, to how they were, to how it was, the way it was, the way they were, back to normal
  back before: back to where they were, back to how it was
  remove: remove, take off, take, strip, delete, off, get rid of, away, clear, drop
  label: label, labels, tag, tags, star, stars, mark, marks, folder, category, categories, colour, color
  label: destination
  change: change, changes, changing, changed, change exactly, edits
  will: will you, would you, are you going to, going to, gonna, about to, you are about to, you are going to
  will do: will you do, are you going to do, going to do, do you do, you do, will this do, does this do
  will do: are you about to do, you going to do, am i agreeing to, am i confirming, am i approving
  will do: are we approving, are we confirming, does this operation do, would continue do, you doing
  will do: you going to do with, you plan to do, you want to do, you intend to do, you planning
  will do: you planning to do, plan to do, are you planning
  happens: happens, will happen, would happen, going to happen, happen when, gets changed, gets added
  happens: will be added, will be changed, s going to happen, is going to happen, will come of it, come next
  happens: follow, follows, comes next
  if_i: if i, when i, once i, if i do, when i do
  yes: yes, say continue
  confirm: confirm, confirmed, approve, approved, accepted, agreed, said yes, okayed, gave the go ahead
  confirm: gave the ok, gave permission, gave approval, signed off, signed this off, signed it off
  confirm: gave the green light, authorized, authorised, said ok, allowed, greenlit, gave the nod, gave the yes
  confirm: ok d, authorise, authorize, given the ok, given the go ahead, given permission
  continue: continue, continuing, start, proceed, go on, go ahead
  then: then
  in: in, inside, included in, contained in, part of
  not: not, don t, dont, do not, won t, isn t, haven t, not until, can t
  not yet: not yet, not just yet, haven t yet, not quite yet, just yet
  not now: not now, not right now, not at the moment, not at this moment, not at present, not really, not for now
  not now: not this minute, not this second, not right this minute, not this time, not for the moment
  not now: not immediately, not straight away, not right away, not at this time, not yet thanks, not just now
  not now: not during lunch, not this week, not on the spot
  yet: yet
  today: today, tonight, evening, afternoon, morning, weekend, this week, this month
  not today: not today, not tonight
  tomorrow: tomorrow, next week, another day, some other time, another time, some other day, tomorrow morning
  tomorrow: tomorrow evening, tomorrow afternoon, monday, the day after tomorrow, in the morning, next time
  tomorrow: in a few days, in a few hours, this afternoon, this evening, tonight, next month, tuesday, wednesday
  tomorrow: thursday, friday, saturday, sunday
  wait: wait, waiting, hang on, hold off, hold, stand by, bear with me, brb, be right back, patience
  wait: i ll be back, come back later, i ll get back to you, get back to you, ll get back to you
  wait: will get back to you, leave it open, leave it, for now, back soon, slow down, hold your horses
  wait: not so fast, i ll come back to this, i ll come back to it, come back to this, come back to it
  wait: come back to me, busy, in a meeting, i m in a meeting, put it on hold, put this on hold, sit tight
  wait: let it wait, let it sit, leave it be for now, leave it as is for now, keep it on hold, keep it open
  wait: leave it waiting, on the phone, not in a hurry, no rush, no hurry, postpone, postponed, delay, stay put
  wait: i ll say when, say when, put it off, put this off, on ice, park it, park this, table it for now
  wait: not in the mood, no hurry please, pause there, take your time, let it be for now, wait up, wait a while
  wait: give me some space, don t rush, don t rush me, no need to rush, i ll be a while, later on please
  wait: keep waiting, just hold on, just wait, just hold, hold tight
  moment: moment, just a moment, a second, a sec, one sec, minute, minutes, a few minutes, one second, just a sec
  moment: just a minute, in a moment, in a minute, in a sec, a few more minutes, hour, hours, a while
  moment: a bit of time, some time, a few, couple of minutes, a couple of minutes, ten minutes, five minutes
  need: need, have, must, give, give me
  pause: pause, take a break
  check: check, look, look through, verify, read, review, have a look, take a look, see, checking, looking
  check: reading, check something, double check, look it over, inspect, study, examine, go over, go through
  check: double check it, have a closer look, take a closer look, have a quick look, take a quick look, checked
  check: reviewed, glance, look closer, compare, make sure, have a look at it, peek, take a peek
  check: see what s in it, see first, check these, go through it, go through them, look them over, look these over
  think: think about it, think it over, think about this, sleep on it, consider it, thinking, need to think
  think: have to think, let me think, want to think, think first, want to think about it, need to think about it
  think: have to think about it, let me think about it, think it through, have a think, give it some thought
  think: mull it over, make up my mind, ponder, think some more, still thinking, let me think a bit
  let: let me, let us, i want to, i need to, i have to, i must, i d like to, i would like to
  ready: ready, when ready
  tell: tell you, let you know
  ask: ask, ask me, remind me
  answer: answer, reply, decide, respond
  time: time
  more time: more time, longer time, another hour, a bit longer, another few minutes, open longer
  more time: a little longer, longer to decide, some more time, extra time, additional time, more minutes
  more time: more hours
  extend: extend, prolong, the deadline, deadline
  maybe: maybe, perhaps, possibly, probably
  know: know
  sure: sure, certain
  not sure: unsure
  no: no, nope, nah
  no idea: no idea, no clue, dunno, idk, beats me, i don t have a clue, i have no idea
  depends: depends
  you_decide: you decide, up to you, your call, your choice, what do you think, as you like
  just: only, just
  the: the, those, these
  not can: i can t, can t, cannot, i can not
  not answer: haven t decided, have not decided, not decided, i haven t decided, i have not decided, can t decide
  not answer: can t decide yet, cannot decide, couldn t decide
  undecided: can t say, hard to say, unclear, torn, undecided, either way, could go either way, whatever you think
  what item: what are they, what are these, what are those
  what will do: what does continue do, what does it do, what does this do, what does yes do, what would it do
  what will do: what are you doing to them, what are you doing to, what am i saying yes to
  problem: problem, problems, issue, issues, trouble
  not ready: not prepared, not set, not prepared yet
  -: gimme, oops, whoops, ugh, argh, damn, question, mind, would you mind, do you mind, lot, re, whole, the end, how d
  -: off you go, my friend, operation, the operation
  can: can
  wait: in a call, on a call, on the train, on a train, on the bus, at the doctor, driving, i m driving, on the road, bad signal
  wait: too busy, swamped, phone s ringing, hold that thought, park it, park this, shelve it, i m away, at lunch, in the car
  wait: until i m back, until i get back, till i m back, no signal, call you back, ll call you back, i ll call back, afk, out of the office, cooking, in class, in bed
  later: after lunch, after dinner, after work, after the meeting, after this call, after the call, when i m back, when i m home
  later: when i get back, when i get home, once i m home, once i m back, when i have time, when i m done, when i m free
  later: when i m at my desk, when i m online, at home, when i have a minute, another moment, in an hour, in half an hour
  think: ask my boss, ask my wife, ask my husband, ask a colleague, ask my colleague, ask someone, ask around, ask the team
  think: check with someone, check with somebody, check with him, check with her, check with my boss, check with a colleague, check with the team, talk to my boss, talk to the team, run it by my boss
  restore: like it never happened, as if it never happened, like this never happened, pretend this never happened
  restore: pretend it never happened, as if nothing happened, like nothing happened, as if nothing had happened
  before: to the way it was, the previous state, the original state, its previous state, as it used to be, before we started, before you started, before this, before all this, to before, before i started, before you began
  all: the whole thing, the whole lot, the whole operation, the whole batch, the lot, whole thing
  retry: reattempt, re attempt, redo them, rerun them, re attempting
  fail: fell over, whatever fell over, whatever failed, whatever broke, broke, fell through, got stuck, stuck, didn t take
  fail: did not take, bombed, choked, timed out, didn t make it through, went under, tripped up, whatever didn t work
  fail: didnt work, didnt go through, wasn t done, weren t done, whatever went wrong, hit an error, hit errors, didn t succeed, did not succeed, didn t finish, bounced
  try fail: try what failed, try what broke, try what didn t work
  try again: a second chance, one more try, one more go, one more shot, another chance, a second try, a second go
  until_when: time out, going to time out, going to expire, will this expire, does this expire, will it expire, expire, expires
  until_when: does this time out, will this time out, running out of time, how much longer have i got, how long will you wait
  until_when: how much longer do i have, how long will you wait for me, when do you need my answer, when do you need an answer
  status: where did we get to, where have we got, what number are we at, state of play, the state of play, where did we stop
  status: which batch are we on, what batch are we on, which batch is this, how did it go, how did it end up, how d it end up
  status: how did it end, how did it turn out, how d it go, the outcome, outcome, end result, final result, final tally, tally
  status: how did that go, how d that go, how d it turn out, how did this go, how did everything go, final score
  well: made it, go well, turn out well, come out ok, went fine, go smoothly
`;
