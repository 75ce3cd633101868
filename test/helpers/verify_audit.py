"""Verifies an export of the audit record: written from docs/audit-format.md alone, with a crypto library alone.

    python3 verify_audit.py EXPORT [PUBLIC_KEY | claim=FILE | proof=FILE ...]
"""

import base64
import datetime
import hashlib
import json
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa


def is_verified(key, signature, *how):
    try:
        key.verify(signature, *how)
        return True
    except InvalidSignature:
        return False


def is_by_passkey(public_key, message, signature):
    try:
        key = serialization.load_der_public_key(public_key)
    except (ValueError, UnsupportedAlgorithm):
        return False
    if isinstance(key, ed25519.Ed25519PublicKey):
        return is_verified(key, signature, message)
    if isinstance(key, rsa.RSAPublicKey):
        return is_verified(key, signature, message, padding.PKCS1v15(), hashes.SHA256())
    is_p256 = isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1)
    return is_p256 and is_verified(key, signature, message, ec.ECDSA(hashes.SHA256()))


def is_signed(line):
    try:
        key = ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(line["public_key"]))
        signature = bytes.fromhex(line["signature"])
    except (KeyError, TypeError, ValueError):
        return False
    return is_verified(key, signature, b"batchgate-audit\n" + line["hash"].encode())


def sha256(data):
    return hashlib.sha256(data).digest()


def hash_of(text):
    return sha256(text.encode()).hex()


# The tree of RFC 9162, section 2.1.
def leaf_hash(text):
    return sha256(b"\0" + text.encode())


def node_hash(left, right):
    return sha256(b"\1" + left + right)


def root_of(hashes):
    if not hashes:
        return sha256(b"")
    if len(hashes) == 1:
        return hashes[0]
    split = 1 << ((len(hashes) - 1).bit_length() - 1)
    return node_hash(root_of(hashes[:split]), root_of(hashes[split:]))


def root_of_proof(proof):
    at, last = proof["at"], proof["size"] - 1
    if at > last:
        return None
    result = leaf_hash(proof["leaf"])
    for text in proof["path"]:
        beside = bytes.fromhex(text)
        if last == 0:
            return None
        if at % 2 == 1 or at == last:
            result = node_hash(beside, result)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            result = node_hash(result, beside)
        at, last = at // 2, last // 2
    return result.hex() if last == 0 else None


def sealed_in(value):
    if isinstance(value, list):
        return {digest for entry in value for digest in sealed_in(entry)}
    if isinstance(value, dict):
        inner = {digest for name, member in value.items() if name != "sealed" for digest in sealed_in(member)}
        return inner | ({value["sealed"]} if isinstance(value.get("sealed"), str) else set())
    return set()


def values_of(line, sealed):
    """The sealed values beside a row; None if they were deleted."""
    text = (line.get("opened") or {}).get(sealed)
    return json.loads(text)[1] if text is not None else None


def from64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


ASSURANCES = ["asserted", "platform", "session", "signed"]


def folded(name):
    return unicodedata.normalize("NFKC", name or "").strip().lower()


def same_person(one, other):
    if one.get("subject") == other.get("subject"):
        return True
    issuers = [(who.get("subject") or "").rpartition("|")[0] for who in (one, other)]
    return not (issuers[0] and issuers[0] == issuers[1]) and folded(one.get("by")) == folded(other.get("by"))


def people_in(approval):
    return [approval] + ([approval["for"]] if approval.get("for") else [])


def are_one(some, others):
    return any(same_person(one, other) for one in some for other in others)


def names_of(approval):
    who = people_in(approval)[-1]
    named = [f"person:{who.get(member)}" for member in ("subject", "by") if approval.get("door") != "link"]
    return {*named, *(f"group:{one}" for one in who.get("groups", [])), *(f"role:{one}" for one in who.get("roles", []))}


def key_of(data):
    return data.get("batch"), data.get("attempt"), data.get("digest")


def is_of(run, outcomes):
    """Whether outcomes belong to a run of a batch, directly or from reading back after it died."""
    if run is None or "epoch" not in outcomes or run["batch"] != outcomes.get("batch"):
        return False
    return run["epoch"] in (outcomes["epoch"], outcomes["epoch"] - 1)


def seal_of(frozen):
    return to64(sha256(frozen.encode()))[:32]


def forged(signed):
    data, client = from64(signed["authenticator_data"]), from64(signed["client_data_json"])
    client_data, challenge = json.loads(client), to64(sha256(signed["decision"].encode()))
    return not (
        challenge == signed["challenge"] == client_data["challenge"]
        and client_data["type"] == "webauthn.get"
        and client_data["origin"] == signed["origin"]
        and data[:32] == sha256(signed["rp_id"].encode())
        and data[32] & 5 == 5
        and is_by_passkey(base64.b64decode(signed["public_key"]), data + sha256(client), from64(signed["signature"]))
    )


def unmet(need, decision, digest, requester, signed):
    """The faults in the approvals of a batch."""
    approvals, since = decision.get("approvals"), decision.get("asked_since")
    if approvals is None:
        return ["no approvals"]
    wrong = [] if len(approvals) >= need["approvals"] else [f"{len(approvals)} approvals, of {need['approvals']}"]
    for place, one in enumerate(approvals):
        own, names = people_in(one), set(need["from"])
        for step in need.get("escalate", []) if since else []:
            if seconds(one["at"]) >= seconds(since) + step["after_seconds"]:
                names |= set(step["to"])
        claims = {
            "another question": one.get("digest") != digest,
            "by the requester": need["not_requester"] and requester and are_one(own, [requester]),
            "counted twice": need["distinct"] and any(are_one(own, people_in(other)) for other in approvals[:place]),
            "by nobody of those who may": need["from"] and not names & names_of(one),
            "after its delegation": one.get("for") and seconds(one["at"]) >= seconds(one["for"]["until"]),
            "too little assurance": ASSURANCES.index(one["assurance"]) < ASSURANCES.index(need["assurance"]),
            "not signed": one["assurance"] == "signed" and not signed(one),
        }
        wrong += [f"an approval by {one.get('by')}: {what}" for what, is_so in claims.items() if is_so]
    return wrong


def name_of(chain, seq):
    return f"row {seq} of {chain or 'the installation'}"


def requester_in(plan):
    by = (plan or {}).get("requested_by")
    subject = (plan or {}).get("requested_subject", by)
    return None if subject is None else {"by": by if by is not None else subject, "subject": subject}


class Stop(Exception):
    pass


class Verifier:
    def __init__(self, trusted):
        self.trusted = trusted
        self.failures = []
        self.line = 0
        self.rows = []
        self.chains = {}
        self.pending = []
        self.closed = []
        self.deleted = {}
        self.operations = {}
        self.passkeys = {}
        self.key = None
        self.first_key = None

    def fail(self, what, name="a line"):
        self.failures.append(f"line {self.line}, {name}: {what}")

    def stop(self, what, name="a line"):
        self.fail(what, name)
        raise Stop

    def read(self, text, name):
        self.line += 1
        try:
            line = json.loads(text)
            body = json.loads(line["body"])
            if hash_of(line["body"]) != line["hash"]:
                self.fail("changed", name)
            body.get
        except (ValueError, KeyError, TypeError, AttributeError):
            self.stop("unreadable", name)
        return line, body

    def verify(self, data):
        lines = data.decode().split("\n")
        if lines[-1] == "":
            lines.pop()
        try:
            self.header(lines[0] if lines else "")
            for text in lines[1:]:
                self.row(text)
            self.line += 1
            self.end()
        except Stop:
            pass
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            self.fail(f"malformed: {error!r}")
        return self

    def header(self, text):
        line, self.head = self.read(text, "the header")
        if self.head.get("format") != "batchgate-audit" or self.head.get("v") != 1:
            self.stop("no header")
        if not is_signed(line):
            self.fail("forged signature", "the header")
        self.head_key = line.get("public_key")
        self.operation = self.head.get("operation")
        self.part = self.operation is None and self.head["from"] > 1
        self.chains[""] = (0, None) if self.operation else (self.head["from"] - 1, self.head["prev"])

    def row(self, text):
        leaf = self.pending[0] if self.pending else None
        chain = leaf["chain"] if leaf else ""
        before = self.chains.get(chain)
        seq = (before[0] if before else leaf["from"] - 1) + 1
        line, body = self.read(text, name_of(chain, seq))
        own = name_of(body["chain"], body["seq"])
        alone = leaf is None and self.operation is not None
        if body["chain"] != chain or (
            body["seq"] != seq and not (alone and body["seq"] > seq and body["kind"] in ("audit_key", "checkpoint"))
        ):
            self.stop(f"missing; {own} is in its place", name_of(chain, seq))
        if alone and body["kind"] not in ("audit_key", "checkpoint"):
            self.stop("does not stand for itself", own)
        if not alone and not (before is None and self.part and seq > 1):
            if body["prev"] != (before[1] if before else None):
                self.fail("does not follow", own)
        self.chains[chain] = (body["seq"], line["hash"])
        self.values(line, body, own)
        if leaf and body["seq"] == leaf["to"]:
            if line["hash"] != leaf["hash"]:
                self.fail("not the covered row", own)
            self.pending.pop(0)
        if body["kind"] == "personal_data_deleted":
            self.deleted[chain] = body["data"]["up_to"]
        if chain == "" and body["kind"] == "audit_key":
            self.new_key(line, body["data"], own)
        if chain == "" and body["kind"] == "checkpoint":
            self.checkpoint(line, body["data"], own)
        self.decision(body, line, own)
        self.rows.append((body, line))

    def values(self, line, body, own):
        sealed = sealed_in(body["data"])
        for digest, text in (line.get("opened") or {}).items():
            if digest not in sealed:
                self.fail("foreign value", own)
            elif not isinstance(text, str) or hash_of(text) != digest:
                self.fail("changed value", own)
            sealed.discard(digest)
        if sealed:
            self.closed.append((self.line, own, body["chain"], body["seq"]))

    def new_key(self, line, data, own):
        by = self.key or data.get("replaces" if self.part else "public_key")
        self.first_key = self.first_key or by
        if line.get("public_key") != by or not is_signed(line):
            self.fail("new key without the signature of the old one", own)
        if data.get("replaces") != (self.key if self.key else data.get("replaces")):
            self.fail("replaces another key", own)
        self.key = data["public_key"]

    def checkpoint(self, line, data, own):
        if self.key is None and self.part:
            self.first_key = self.key = line.get("public_key")
        if line.get("public_key") != self.key:
            self.fail("another key", own)
        if not is_signed(line):
            self.fail("forged signature", own)
        if self.operation:
            leaves, root = [line["proof"]["leaf"]], root_of_proof(line["proof"])
        else:
            leaves = line["covers"]
            root = root_of([leaf_hash(text) for text in leaves]).hex()
        if root != data["root"]:
            self.stop("covers something else", own)
        for chain, start, end, digest in map(json.loads, leaves):
            before = self.chains.get(chain)
            if end < start or (start != before[0] + 1 if before else start != 1 and not self.part):
                self.fail(f"covers rows {start} to {end} of {chain}", own)
            self.pending.append({"chain": chain, "from": start, "to": end, "hash": digest})

    def decision(self, body, line, name):
        chain, kind, data = body["chain"], body["kind"], body["data"]
        values = values_of(line, data.get("sealed")) if "sealed" in data else {}
        if chain == "":
            return self.passkey(kind, body["at"], data, values or {})
        own = self.operations.setdefault(chain, {"plan": None, "accepted": {}, "signatures": {}, "run": None})
        if kind == "planned" and data.get("from") == 0:
            own["plan"] = values
        elif kind == "signature" and values:
            own["signatures"][data["signature_id"]] = values
            if forged(values):
                self.fail("forged signature of a passkey", name)
            key = self.passkeys.get(data["passkey_id"], {})
            own = key.get("subject") or values["subject"]
            known = (key.get("public_key"), own) == (values["public_key"], values["subject"])
            if not (self.part or self.operation) and not (known and body["at"] <= key.get("revoked", body["at"])):
                self.fail("signed by another passkey", name)
        elif kind == "decision" and (data["decision"], data["outcome"]) == ("continue", "accepted"):
            own["accepted"][key_of(data)] = values
        elif kind == "batch":
            self.batch(own, body, line, values, name)
        elif kind == "outcomes":
            for entry in data["items"]:
                item = values_of(line, entry.get("sealed"))
                frozen = own["frozen"].get(entry["index"]) if is_of(own["run"], data) else None
                if item and "id" in item and frozen:
                    preview = frozen.get("preview") or {}
                    if (item["id"], item.get("before"), item.get("after")) != (
                        frozen["id"],
                        preview.get("before"),
                        preview.get("after"),
                    ):
                        self.fail("not the item that was confirmed", name)

    def passkey(self, kind, at, data, values):
        if kind == "passkey_registered":
            self.passkeys[data["passkey_id"]] = {"public_key": data["public_key"], "subject": values.get("subject")}
        elif kind == "passkey_revoked":
            self.passkeys.get(data["passkey_id"], {}).setdefault("revoked", at)

    def batch(self, own, body, line, values, name):
        data = body["data"]
        if key_of(data) not in own["accepted"] and not self.part:
            self.fail("not confirmed", name)
        tree = (values or {}).get("tree")
        if not tree:
            return
        seals, excluded = dict(map(tuple, tree["leaves"])), []
        own.update(run=data, frozen={})
        texts = [json.dumps(leaf, separators=(",", ":"), ensure_ascii=False) for leaf in tree["leaves"]]
        sealed = root_of([leaf_hash(text) for text in [tree["head"], *texts]]).hex() == data["digest"]
        for entry in data["items"]:
            frozen = (values_of(line, entry.get("sealed")) or {}).get("frozen")
            if frozen is None:
                continue
            own["frozen"][entry["index"]] = json.loads(frozen)
            sealed = sealed and seal_of(frozen) == seals.get(entry["index"])
            if entry.get("outcome") == "skipped":
                excluded.append(json.loads(frozen)["id"])
        if not sealed:
            self.fail("not the items that were confirmed", name)
        head, plan, decision = json.loads(tree["head"]), own["plan"], own["accepted"].get(key_of(data))
        need = head.get("requirement")
        if plan and need != plan.get("terms", {}).get("policy", {}).get("requirement"):
            self.fail("another requirement than the planned one", name)
        if not need or decision is None:
            return
        question = {"operation": body["chain"], "run": head["run_id"], "decision": "continue"}
        question.update({member: data[member] for member in ("batch", "attempt", "digest")})

        def signed(approval):
            row = own["signatures"].get(approval.get("signature"))
            decided = json.loads(row["decision"]) if row else {}
            return (
                row
                and row["subject"] == approval["subject"]
                and all(decided.get(member) == value for member, value in question.items())
                and sorted(decided["excluded"]) == sorted(excluded)
            )

        for what in unmet(need, decision, data["digest"], requester_in(plan), signed):
            self.fail(what, name)

    def end(self):
        if self.pending:
            leaf = self.pending[0]
            before = self.chains.get(leaf["chain"])
            self.stop("missing at the end", name_of(leaf["chain"], (before[0] if before else leaf["from"] - 1) + 1))
        of = self.operation
        chain, rows, digest = (of["chain"], of["rows"], of["hash"]) if of else ("", self.head["to"], self.head["hash"])
        seq, last = self.chains.get(chain, (0, None))
        if seq < rows:
            self.stop("missing at the end", name_of(chain, seq + 1))
        if (seq, last) != (rows, digest):
            self.fail("not the end that the header names", name_of(chain, seq))
        if self.key and self.head_key != self.key and self.head_key not in self.trusted:
            self.fail("signed by a key that is not in force", "the header")
        if self.trusted and not {self.head_key, self.first_key} & set(self.trusted):
            self.fail("signed by a foreign key", "the header")
        for line, own, chain, seq in self.closed:
            if seq > self.deleted.get(chain, 0) and not self.part:
                self.failures.append(f"line {line}, {own}: values are gone, and no row says why")


MEMBERS = {"operation", "batch", "item", "outcome", "before", "after", "approved_by", "requester", "assurance"}


def shows(rows, claim):
    """Whether a verified export shows a claim about one item."""
    if not set(claim) <= MEMBERS or "item" not in claim:
        return False
    plans, decisions, runs = {}, {}, {}
    for body, line in rows:
        chain, kind, data = body["chain"], body["kind"], body["data"]
        values = values_of(line, data.get("sealed")) or {}
        if kind == "planned" and data["from"] == 0:
            plans[chain] = requester_in(values)
        elif kind == "decision" and (data["decision"], data["outcome"]) == ("continue", "accepted"):
            alone = [{"by": values.get("by"), "subject": values.get("by"), "assurance": data["assurance"]}]
            decisions[chain, key_of(data)] = values.get("approvals", alone)
        elif kind == "batch":
            runs[chain] = data, decisions.get((chain, key_of(data)), [])
        elif kind == "outcomes":
            facts = {"operation": chain, "batch": data.get("batch")}
            run, approvals = runs.get(chain, (None, []))
            approvals = approvals if is_of(run, data) else []
            for entry in data["items"]:
                item = values_of(line, entry.get("sealed")) or {}
                facts.update(item=item.get("id"), outcome=entry["outcome"])
                facts.update(before=item.get("before"), after=item.get("after"))
                plain = {"outcome": "succeeded", **claim}
                if all(plain[member] == value for member, value in facts.items() if member in plain):
                    if are_deciders(claim, approvals, plans.get(chain)):
                        return True
    return False


def are_deciders(claim, approvals, requester):
    people = [{one.get("by"), one.get("subject")} for one in approvals]
    names = claim.get("approved_by")
    if names is not None and not (
        len(names) == len(people)
        and all(sum(name in one for one in people) == 1 for name in names)
        and all(one & set(names) for one in people)
    ):
        return False
    if "requester" in claim:
        if requester is None or claim["requester"] not in requester.values():
            return False
        if any(are_one(people_in(one), [requester]) for one in approvals):
            return False
    least = ASSURANCES.index(claim.get("assurance", "asserted"))
    return all(ASSURANCES.index(one["assurance"]) >= least for one in approvals)


def proves(rows, proof):
    """Whether a proof of an item is about a batch of a verified export."""
    for one in proof["proofs"]:
        head, item, size = one["head"], one["item"], one["size"]
        question, frozen, leaf = json.loads(head["leaf"]), json.loads(item["frozen"]), json.loads(item["leaf"])
        roots = [root_of_proof({**head, "at": 0, "size": size}), root_of_proof({**item, "size": size})]
        if roots != [one["root"]] * 2 or leaf[1] != seal_of(item["frozen"]) or question["items"] != size - 1:
            return False
        if question["operation_id"] != proof["operation_id"] or frozen["id"] != proof["item_id"]:
            return False
        left_out = {"index": leaf[0], "outcome": "skipped"}
        if not any(
            (body["chain"], body["kind"], body["data"].get("digest")) == (proof["operation_id"], "batch", one["root"])
            and not any(left_out.items() <= entry.items() for entry in body["data"]["items"])
            for body, _ in rows
        ):
            return False
    return len(proof["proofs"]) > 0


def verify(path, keys, files=()):
    with open(path, "rb") as file:
        verifier = Verifier(keys).verify(file.read())
    for kind, name in files if not verifier.failures else ():
        with open(name, "rb") as file:
            if not {"claim": shows, "proof": proves}[kind](verifier.rows, json.load(file)):
                verifier.failures.append(f"the export does not show the {kind} {name}")
    return verifier


if __name__ == "__main__":
    if sys.argv[1:] == ["--many"]:
        # For tests: an export and its keys a line; the failures of each, a line.
        for request in sys.stdin:
            path, keys = json.loads(request)
            print(json.dumps(verify(path, keys).failures), flush=True)
        sys.exit(0)
    options = [argument.partition("=") for argument in sys.argv[2:]]
    verifier = verify(
        sys.argv[1], [key for key, is_file, _ in options if not is_file], [(kind, name) for kind, is_file, name in options if is_file]
    )
    for failure in verifier.failures:
        print(failure)
    if not verifier.failures:
        print(f"{len(verifier.rows)} rows are as they were written")
    sys.exit(1 if verifier.failures else 0)
