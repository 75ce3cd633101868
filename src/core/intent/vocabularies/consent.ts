/**
 * The words and expressions of a confirmation in English, by their notions. An expression may have several. `this batch`
 * is the open batch by any of its names (open-batch.ts).
 */
export const CONSENT = `
  yes: yes, yess, yeah, yea, yep, yup, ye, yeh, aye, ok, okay, okey, okey dokey, okie dokie, okeydokey, k, kk, sure
  yes: sure thing, of course, certainly, absolutely, definitely, alright, alrighty, righto, right you are, roger
  yes: roger that, copy that, ack, affirmative, hell yes, yes sir, yes boss, indeed, obviously, obviously yes
  yes: by all means, yes indeed, yes of course, yes absolutely, for sure, fine, 100% yes, 100 percent yes, +1
  yes: yes for sure, sure yes, yes ok, yes okay, very well yes, naturally, positive, you bet, you betcha, totally
  yes: 100%, a hundred percent, no doubt, without a doubt, indeed yes, ah yes, but of course, aye aye, ok then
  yes: okay then, alright then, yes then, yes thank you, yes thanks
  act: continue, proceed, resume, go ahead, go right ahead, go on, carry on, carry right on, keep going, keep at it
  act: keep it going, keep it rolling, keep it moving, keep moving, go for it, execute, run, crack on
  act: crack on with it, press on, push on, press ahead, plough on, roll on, let it roll, let's roll, let's go
  act: let us go, let's do it, let's do this, hit it, send it, ship it, fire away, fire it up, off you go, on you go
  act: away you go, full steam ahead, full speed ahead, make it so, make it happen, get on with it, on with it
  act: get going, get it done, get this done, get it over with, move on, move ahead, move along, moving on, go forward
  act: go further, go through with it, be my guest, knock yourself out, do your thing, do the needful, do your job
  act: work your magic, kick it off, start, begin, start now, begin now, launch, process, roll, go, do it, do so
  act: do that, do this, do these, do those, proceed further, continue further, carry on please, continue on
  act: continue onwards, onward, onwards, forward, go forth, keep on, keep on going, keep on with it, keep it coming
  act: keep them coming, get started, get cracking, get to it, get to work, get it rolling, get this rolling
  act: get the ball rolling, let it through, let it run, let this run, let this batch run, let it proceed
  act: let it continue, green light it, give it the go ahead, push it through, push it, push the button
  act: press the button, pull the trigger, action it, do your magic, knock it out, up and at them, on we go, off we go
  act: here we go, away we go, there we go, chop chop, proceed accordingly, execute accordingly, continue accordingly
  act: go on with it, go on with this, carry on with it, continue with it, proceed with it, continue as you are
  act: carry on as you are, keep doing it, keep doing that, keep doing this, keep doing what you're doing
  act: keep doing what you are doing, continue what you're doing, continue what you are doing, do what you proposed
  act: do what you said, do what you suggest, do as you said, do as you say, do as proposed, do as planned
  act: do as shown, do as listed, do as you propose, do as you suggest, do as you suggested, do as you proposed
  act: do what needs doing, do what needs to be done
  verb: run, do, process, execute, handle, make, take, apply, perform, launch, start, begin, go for, go with, ship
  verb: carry out, continue, continue with, proceed with, proceed to, continue to, carry on with, carry on to
  verb: go ahead with, go on with, go on to, go ahead and, go to, move on to, move on with, move to, keep going with
  verb: resume, resume with, start with, start on, begin with, get going with, crack on with, get on with, kick off
  verb: go through with, next is, on to, progress with, finish off, go and, get started on, get started with
  verb: start processing, continue processing, keep processing, proceed to process, go ahead and process
  verb: press on with, push on with, push ahead with, press ahead with, plough on with, roll with, roll on with
  verb: roll out, fire off, execute on, action, implement, deal with, work on, work through, get through, see to
  verb: get to work on, proceed and, continue and, go forward with, move forward with, move ahead with, set off
  verb: approve and run, confirm and run
  approve: approved, confirmed, accepted, granted, agreed, authorised, authorized, signed off, cleared
  approve: approval granted, approval given, consent granted, consent given, permission granted, permission given
  approve: i confirm, i approve, i agree, i accept, i consent, i consent to, i approve of, i agree to, i agree with
  approve: i hereby confirm, i hereby approve, i authorise, i authorize, confirming, approving, we approve, we confirm
  approve: we agree, green light, it's a go, it is a go, it's a yes, its a yes, it is a yes, that's a yes
  approve: that is a yes, thats a yes, a yes, my answer is yes, the answer is yes, answer is yes, answer yes
  approve: i say yes, yes from me, yes from us, yes from my side, yes on this, you have my permission
  approve: you have my approval, you have my ok, you have my okay, you have my consent, you have my blessing
  approve: you've got my permission, you've got my approval, you've got my ok, you've got my okay
  approve: you've got my blessing, you got my ok, you have the green light, you've got the green light
  approve: you have permission, you are authorised, you are authorized, you are hereby authorised
  approve: you are hereby authorized, thumbs up, ok from me, okay from me, ok for me, ok by me, okay by me, fine by me
  approve: fine with me, fine for me, good for me, good by me, works for me, go from me, go from my side
  approve: no objection from me, all systems go, final answer yes, still yes, it's approved, it is approved
  approve: approval granted for, i do confirm, i do approve, i can confirm, i can approve, i hereby authorise
  approve: i hereby authorize, i hereby agree, i hereby consent, hereby approved, hereby confirmed, is approved
  approve: are approved, is confirmed, are confirmed, has my approval, have my approval, has my blessing
  approve: have my blessing, has my ok, have my ok, has my okay, gets my ok, gets a yes, get a yes, get my ok
  approve: got my ok, got my approval, gets my approval, i sign off, i sign off on, i signed off, i signed off on
  approve: i give my approval, i give my consent, i give my permission, i give permission, i give you permission
  approve: i give the green light, i give my ok, i give my okay, i give the ok, giving the green light, giving my ok
  approve: i vote yes, my vote is yes, i vouch for, ok with me, okay with me, alright with me, alright by me
  approve: all right with me, all right by me, cool with me, cool by me, suits me, suits me fine
  approve: no objections from me, no objection from my side, no objections from my side, no objections here
  approve: no objection here, approved from my side, approved by me, confirmed by me, confirmed from my side
  approve: approved on my end, you may have my ok, go signal, clearance given, clearance granted, you are cleared
  approve: you are cleared for, cleared for, you are go, you are go for, we are go, we are go for, we're go
  allowed: can go, can go ahead, can go in, can go through, can all go, can run, can be done, can be run
  allowed: can be processed, can be labelled, can be labeled, can proceed, may go, may go ahead, may run, may proceed
  allowed: may be processed, is a go, are a go, is good to go, are good to go, is ok to go, good to go, ready to go
  allowed: ready to run, can all be done
  ask: please, kindly, you can, you may, you can all, we can, we may, let's, lets, let us, i want you to
  ask: i'd like you to, i would like you to, i'd like to, i would like to, i want to, i want that you, i need you to
  ask: i say, you're good to, you are good to, you're clear to, you are clear to, you're free to, you are free to
  ask: you're welcome to, feel free to, good to, ok to, okay to, fine to, safe to, happy for you to
  ask: i'm happy for you to, fine for you to, free to, clear to, time to, it's ok to, it is ok to, it's okay to
  ask: it's fine to, it's safe to, it is fine to, it is safe to, go and, go ahead and, just, simply, ready to
  ask: i'm ready to, permission to, you can go ahead and, you may go ahead and, you can now, you may now, you can just
  ask: you can please, please do, please just, now please, we can now, we can just, i suggest you, i ask you to
  ask: i request you to, i request that you, i instruct you to, i am asking you to, you have my permission to
  ask: you have my approval to, you have my blessing to, you have permission to, you have the green light to
  ask: you are authorised to, you are authorized to, you are hereby authorised to, you are hereby authorized to
  ask: permission granted to, i give you permission to, i authorise you to, i authorize you to, please go ahead and
  ask: be so kind as to, be so kind and, okay to just, let's just, i wish you to, i would ask you to
  ask: kindly go ahead and, go right ahead and, let us now, let's now
  it: it, this, that, with it, with this, with that, with these, with those, this one, that one, with this one
  it: with that one, on these, on those, on this, for these, for those, for this, to these, to those, its execution
  it: the execution, these, those
  list: this batch, the batch, the list, the whole list, this list, that list, your list, the whole batch
  list: this whole batch, the entire batch, the entire list, with the list, your selection, the selection, the preview
  list: this preview, the plan, your plan, batch, this batch in its entirety, the full list, the full batch
  list: this full batch, all this batch, the next batch as listed, the current batch, the open batch, the current list
  list: this set, this lot, this group, this page, the page, this round, the round, the lot, that batch, that lot
  list: that set, that group, the above, the above list, the list above, the items listed, the items above
  list: the emails listed, the emails above, the ones listed, the ones above, the ones listed above
  list: the ones you listed, the ones shown, those listed, those shown, those above, these above
  manner: now, then, already, right now, right away, straight away, at once, immediately, asap, as listed, as shown
  manner: as planned, as proposed, as described, as suggested, as displayed, as you listed, as you proposed, as is
  manner: as it is, as they are, like that, like this, this way, as before, like before, as last time, like last time
  manner: same as before, as discussed, as agreed, in its entirety, in full, without changes, without any changes
  manner: unchanged, too, as well, from here, as usual, at your convenience, quickly, quick, and then
  subject: everything, everything here, everything there, everything on there, everything in there, everything on it
  subject: everything in it, everything on the list, everything on this list, everything in this batch, all of it
  subject: all of this, all of that, the items, these items, these emails, those emails, these mails, these messages
  subject: those items, these ones, those ones, the emails, the mails, the messages, the events, the cards, the rows
  subject: each one, every one, each of them, every one of them, each of these, every one of these, all items
  subject: all emails, all mails, all the items, all the emails, they, they all, it all, this all, that all, these all
  subject: every item, each item, every email, each email, every single one, in here, on there, in there
  subject: the selection, the names, the numbers, the entries, all entries, all entries here
  be: is, are, was, were, 's, 're, be, looks, look, seems, seem, sounds, sound, appears, appear, checks out, check out
  be: it's, its, that's, thats, they're, theyre, these're, that is, it is, they are, is looking, are looking, looking
  be: remains, is all, are all, all look, all looks, all are, all check out, all checks out, add up, adds up
  be: all add up, matches, match, all match, reconciles, reconcile, tallies, ties up, as far as i can see
  be: as far as i can tell, to me, to my eye, in my book
  how: really, quite, very, perfectly, totally, absolutely, just, indeed, exactly, simply, about, pretty, now, so far
  how: still, to be, also, completely, entirely, clearly, nicely, definitely, certainly, both, too, fully, pretty much
  well: good, great, fine, perfect, right, correct, clear, ok, okay, alright, all right, in order, in good order
  well: harmless, legit, safe, accurate, complete, valid, legitimate, genuine, receipts, all receipts, a receipt
  well: real receipts, proper receipts, mine, ours, as expected, as it should be, as they should be, as i expected
  well: as i want it, as i wanted, what i want, what i wanted, what i expected, what i asked for, what i need
  well: what i needed, what i had in mind, what i meant, exactly what i wanted, exactly what i want
  well: exactly what i needed, the right list, the right ones, the correct list, the correct ones, the right batch
  well: the right label, the right stuff, the ones i wanted, the ones i want, the ones i need, the ones i meant
  well: the ones i need labelled, the ones i want labelled, the list i wanted, invoices, bills, newsletters, orders
  well: tickets, well, smoothly, perfectly, in receipts, in there, in here, in the list, in this batch, lovely
  well: brilliant, spot on, on point, nice, excellent, sound, superb, wonderful, okay here, proper, all right here
  well: exactly right, just right, as it should, as they should, as agreed, as discussed, approved, okay as it is
  well: fine as it is, fine as they are, good as it is, good as they are, okay as they are, in line, correct as listed
  well: correct as shown, all there, all present, all here, fit, fitting, suitable, reasonable, sensible, sane
  well: okay by me, clean, tidy, comprehensive, exact, precise, trustworthy, business expenses, expenses, deductible
  well: tax relevant, for accounting, payments, purchases, proofs of payment, proof of purchase
  checked: checked, double checked, i checked, i've checked, i have checked, i double checked, i've double checked
  checked: i just checked, i just looked, i looked, i've looked, i have looked, i looked at, i've looked at
  checked: i looked through, i've looked through, i have looked through, i just looked through, i looked over
  checked: i've looked over, looked at, looked through, looked over, i've been through, i have been through
  checked: i went through, i've gone through, i have gone through, went through, gone through, been through, i've read
  checked: i have read, i read, having read, having checked, having reviewed, read through, i've read through
  checked: i read through, reviewed, i reviewed, i've reviewed, i have reviewed, we reviewed, we've reviewed
  checked: we checked, we've checked, verified, i verified, i've verified, i have verified, inspected, i inspected
  checked: i've inspected, scanned, skimmed, i scanned, i've scanned, i skimmed, i've skimmed, i've seen, i have seen
  checked: had a look, had a quick look, i had a look, i've had a look, i've had a quick look, had a look at
  checked: i've had a look at, i took a look, took a look, ticked off, i've ticked off, i ticked off, i recognise
  checked: i recognize, i trust you, i trust it, i'm satisfied, i am satisfied, i'm satisfied with, i'm sure
  checked: i am sure, i'm certain, i have controlled, i controlled, checked against, reviewed against
  checked: verified against, i've compared, i compared, compared, i like, i agree with, after checking
  checked: after reviewing, after reading
  mine: carefully, quickly, thoroughly, myself, with me, for me, to me, for us, to us, by me, from me, from us
  mine: on my side, from my side, on my end, from my end, on our side, from our side, from my part, for my part, here
  mine: from here, so far, until now, my list, my records, my ledger, the ticket, my notes, the original
  mine: against my list, against my records, against my ledger, against the ticket, with my list, my colleague
  mine: the team, that i can see, i can see, this time, so far as i can see, as far as i can see, as far as i can tell
  mine: as far as i know, in my view, in my eyes, in my opinion, on reflection, after all, in the end, at all
  mine: whatsoever, with what i have, with what i have here, as well, too, for accounting, for the accountant
  mine: for taxes, for tax, for my taxes
  none: no, nothing, none, none of them, none of these, none of those, not one, not a single, not a single one
  none: not any, not a single thing, i see no, i see nothing, i have no, i have nothing, i've no, i've got no
  none: i've got nothing, i find no, i find nothing, i found no, i found nothing, there is no, there's no
  none: there are no, there is nothing, there's nothing, i can't see any, i can't see anything, i cannot see any
  none: i cannot see anything, i can't find any, i can't find anything, i cannot find any, i cannot find anything
  none: i can't find, i can't see, i don't see any, i don't see anything, i do not see any, i do not see anything
  none: i don't find any, i couldn't find any, i couldn't find anything, can't see any, can't see anything
  none: can't find any, can't find anything, can't spot any, can't spot anything, i can't spot any
  none: i can't spot anything, don't see any, don't see anything, couldn't spot any, i don't have any
  none: i do not have any, i don't need any, i do not need any, i don't want any, without any, zero
  fault: wrong, wrong ones, wrong one, odd, off, amiss, missing, strange, weird, unusual, unexpected, suspicious
  fault: surprising, out of place, private, mistake, mistakes, error, errors, problem, problems, issue, issues, fault
  fault: fault with, objection, objections, objections to, concern, concerns, concerns about, complaint, complaints
  fault: question, questions, remark, remarks, comment, comments, change, changes, correction, corrections, edit
  fault: edits, exclusion, exclusions, exceptions, surprises, doubts, doubt, failures, failure, to exclude
  fault: to leave out, to remove, to take out, to drop, to skip, to change, to add, to fix, to correct, to object to
  fault: to complain about, to worry about, need to be left out, needs to be left out, need to be removed
  fault: need to be excluded, need to go, wrong with, strange with, that shouldn't be here, that shouldn't be there
  fault: that doesn't belong, against it, against this, against that, against these, looks off, looks wrong, looks odd
  fault: looks strange, seems wrong, seems off, needed, necessary, required, here, found, changes needed, to flag
  fault: to report, to say, to note, to amend, to edit, to improve, that bothers me, that stands out, out of order
  fault: incorrect, missing here, left out, should be left out, has to be left out, have to be left out
  fault: to be left out, need to be taken out, needs to be removed, bad, bad ones, bad one, to take away, excluded
  fault: removed
  needless: no need to, there's no need to, there is no need to, you don't have to, you do not have to
  needless: you don't need to, you do not need to, we don't have to, we don't need to, i don't want to
  needless: i don't need to, i do not want to, i do not need to, needn't, you needn't, don't, do not, please don't
  needless: please do not, not gonna, i'm not gonna, i'm not going to, not going to, no reason to
  needless: there's no reason to, there is no reason to
  stopping: stop, stop it, stop this, stop here, stop now, stop anything, cancel, cancel it, cancel this
  stopping: cancel anything, abort, abort it, abort this, quit, halt, pause, hesitate, hold back, leave any out
  stopping: leave anything out, leave anyone out, leave out any, leave out anything, exclude any, exclude anything
  stopping: skip any, skip anything, remove any, remove anything, take any out, take anything out, drop any
  stopping: change anything, change any, change it, correct anything, fix anything, edit anything, add anything
  stopping: leave any of them out, leave any of these out, leave out any of these, leave one out, leave anybody out
  stopping: exclude any of these, skip any of these, remove any of these, correct any, end it, end this, finish it
  stopping: interrupt, break off, call it off
  hello: hello, hi, hey, hey there, hi there, hello there, hi bot, hey bot, hello bot, hi all, hey all, hello all
  hello: hi team, hello team, good morning, good afternoon, good evening, morning, evening, good day, dear bot
  hello: hi again, hello again, hey again, hey you, greetings, hiya, oh, ah, so, right then, ok so, okay so
  hello: alright so, well then, now then, got it, understood, noted, that's handy, oh that's handy, thats handy, dear
  hello: good day to you, hello dear, hi dear, hello friend, hi friend, dear all, dear team, dear sirs, dear batchgate
  hello: hey batchgate, hi batchgate, hello batchgate, ok well, okay well, alright well, ok now, okay now
  sorry: sorry, so sorry, sry, i'm sorry, i am sorry, apologies, my apologies, sorry for the wait, sorry for the delay
  sorry: sorry about the wait, sorry about the delay, sorry for the late reply, sorry for the late answer
  sorry: sorry for keeping you waiting, sorry for being slow, apologies for the delay, apologies for the wait
  sorry: only saw this now, just saw this, i just saw this, just got your message, just got this, was held up
  sorry: i was held up, got held up, got distracted, i got distracted, was distracted, was eating, i was eating
  sorry: had to run, had a customer, i had a customer, had a visitor, was cooking, i was cooking, was sleeping
  sorry: was napping, took a while, that took a while, took me a while, was reading it, was reading them
  sorry: i was reading
  away: i was in, i was at, i was on, was in, was at, was on, i'm in, i am in, i'm at, i'm on, back from
  away: i'm back from, just back from, just got out of, i just got out of, just out of, i was out for, was out for
  away: was busy with, sorry was in, sorry i was in, in a, just came from, i just came from, coming from
  away: came back from, i came back from, just left
  excuse: i was away, was away, i was away for a bit, was busy, i was busy, i was driving, was driving, i was asleep
  excuse: was asleep, i was offline, was offline, was afk, i was afk, away from my desk, was away from my desk
  excuse: i was away from my desk
  place: meeting, meetings, call, calls, phone, lunch, break, coffee, coffee break, standup, stand up, class, lecture
  place: school, work, train, bus, till, door, doctor, doctor's, dentist, office, shop, kitchen, garden, shower, loo
  place: plane, car, road, holiday, vacation, court, seminar, lab, appointment, customer, client, traffic, queue
  place: workshop, interview, hospital, airport, bank, gym class, night shift, shift, hairdresser, supermarket
  place: bathroom, toilet
  thanks: thanks, thank you, thx, ty, tks, cheers, ta, many thanks, thanks a lot, thanks a bunch, thank you so much
  thanks: thank you very much, thanks so much, thanks for asking, thank you for asking, thank you very much for asking
  thanks: thanks for checking, thank you for checking, thanks for the list, thank you for the list, much appreciated
  thanks: appreciated, have a nice day, have a good day, have a great day, good job, nice work, good work, great work
  thanks: great job, well done, you're doing great, you are doing great, good bot, good that you asked
  thanks: good that you asked first, best regards, kind regards, regards, best, yours, sincerely, best wishes
  thanks: warm regards, lg, mfg, sent from my iphone, sent from my phone, and thanks, and thank you, with thanks
  thanks: if you please, i appreciate it, have a nice one, have a lovely day, have a good one, have a nice weekend
  thanks: have a good weekend, enjoy your day, keep up the good work, you are a star, you are a gem, you rock
  thanks: great stuff, good stuff, nice one, brilliant work, excellent work, lovely job, i like it, love it
  thanks: very helpful, that is helpful, very kind, that is kind of you, so kind, bless you, god bless, god bless you
  thanks: greetings, all the best, take care, talk soon, thank you kindly, thanks in advance, thank you in advance
  thanks: thanks again, thank you again, smile, smiley face
  you: sir, madam, boss, mate, buddy, bro, dude, dear, bot, batchgate, my friend, friend, pal, love, dear bot
  you: young man, chief, captain, robot, machine, assistant, kind sir, my dear
  urging: why not, so far so good, as discussed, as agreed, as planned, as promised, ready when you are, good list
  urging: nice list, good choice, right choice, looking good, great, good, fine, nice, perfect, excellent, lovely
  urging: very good, very well, super, well, so, oh, ah, got it, understood, noted, it's settled, that's settled
  urging: same again, same again please, same as before, same as last time, same answer, same answer as before
  urging: i'm convinced, i am convinced, enough talk, no more questions, i'm sure, i am sure, quite sure
  urging: absolutely sure, come on, hurry, hurry up, quick, quickly, be quick, be quick about it, you know what to do
  urging: you know the drill, as always, as usual, i have customers waiting, people are waiting, why would i say no
  urging: of course, what are you waiting for, i insist, over and out, over to you, ten four, 10 4, wilco, at last
  urging: finally, about time, in that case, for the record, to be clear, to confirm, my pleasure, no more waiting
  urging: let me be clear, as requested, right away then, that settles it, decision made, decided, instruction
  urging: decision, answer, reply, verdict, status, result, final answer, my answer, my decision, my reply, cool
  urging: wonderful, brilliant, awesome, fantastic, sweet, splendid, marvellous, fab, oh good
  check: ready, correct, exactly, true, exactly right, right, that's right, that is right, i'm ready, i am ready
  check: we're ready
  as_expected: as expected, as planned, as it should be, as they should be, exactly what i wanted, exactly what i want
  as_expected: exactly what i need, exactly what i needed, exactly what i asked for, exactly what i expected
  as_expected: just what i wanted, just what i needed, just what i need, all good, all fine, all clear, all correct
  as_expected: all set, all in order, all right here, all good here, all fine here, all okay, all ok, all valid
  as_expected: all legit, all receipts, not a problem, no problem, in order, no changes, no changes needed
  as_expected: nothing to add, complete, everything as expected, verified, reviewed, checked, ticked off, spot on
  confirms: confirm, approve
  them: them, em, these, those, this one
  content: happy with, fine with, ok with, okay with, good with, i'm happy with, i am happy with, i'm fine with
  content: i am fine with, i'm ok with, i'm okay with, i am ok with, i am okay with, i'm good with, i am good with
  content: i have no problem with, no problem with, i know, i trust
  times: twice, three times, carefully, line by line, one by one
  article: a, an, the, my, our, another, two
  with: with
  as: as
  want: i want, we want, i need, we need, i'd like, i would like, let's get, let's have
  done: done, processed, labelled, labeled, executed, handled, to be done, to be run, to be processed, to be labelled
  done: to be executed, to go ahead, to go through, to proceed
  belong: belongs in, belong in, belongs under, belong under, goes in, go in, goes under, go under, should be in
  belong: should go in, all belong in, all go in
`;
