"""Verifies an export of the audit record: written from docs/audit-format.md alone, with Python's own library alone.

    python3 verify_audit.py EXPORT [PUBLIC_KEY ...]
"""

import hashlib
import json
import sys

# Ed25519, verification only: RFC 8032, section 5.1 and its sample code.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor, point):
    result = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def point_of(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return x, y, 1, x * y % P


BASE = point_of((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def is_signature(public_key, message, signature):
    a, r = point_of(public_key), point_of(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + public_key + message).digest(), "little") % L
    return same(times(s, BASE), add(r, times(h, a)))


def is_signed(line):
    try:
        key, signature = bytes.fromhex(line["public_key"]), bytes.fromhex(line["signature"])
    except (KeyError, TypeError, ValueError):
        return False
    if len(key) != 32 or len(signature) != 64:
        return False
    return is_signature(key, b"batchgate-audit\n" + line["hash"].encode(), signature)


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
        return {found for entry in value for found in sealed_in(entry)}
    if isinstance(value, dict):
        inner = {found for name, member in value.items() if name != "sealed" for found in sealed_in(member)}
        return inner | ({value["sealed"]} if isinstance(value.get("sealed"), str) else set())
    return set()


def name_of(chain, seq):
    return f"row {seq} of {chain or 'the installation'}"


class Stop(Exception):
    pass


class Verifier:
    def __init__(self, trusted):
        self.trusted = trusted
        self.failures = []
        self.line = 0
        self.rows = 0
        self.chains = {}
        self.pending = []
        self.closed = []
        self.deleted = {}
        self.accepted = set()
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
            said = json.loads(line["body"])
            if hash_of(line["body"]) != line["hash"]:
                self.fail("changed", name)
            said.get
        except (ValueError, KeyError, TypeError, AttributeError):
            self.stop("unreadable", name)
        return line, said

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
        line, said = self.read(text, name_of(chain, seq))
        own = name_of(said["chain"], said["seq"])
        alone = leaf is None and self.operation is not None
        if said["chain"] != chain or (
            said["seq"] != seq and not (alone and said["seq"] > seq and said["kind"] in ("audit_key", "checkpoint"))
        ):
            self.stop(f"missing; {own} is in its place", name_of(chain, seq))
        if alone and said["kind"] not in ("audit_key", "checkpoint"):
            self.stop("does not stand for itself", own)
        if not alone and not (before is None and self.part and seq > 1):
            if said["prev"] != (before[1] if before else None):
                self.fail("does not follow", own)
        self.chains[chain] = (said["seq"], line["hash"])
        self.values(line, said, own)
        if leaf and said["seq"] == leaf["to"]:
            if line["hash"] != leaf["hash"]:
                self.fail("not the covered row", own)
            self.pending.pop(0)
        if said["kind"] == "personal_data_deleted":
            self.deleted[chain] = said["data"]["up_to"]
        if chain == "" and said["kind"] == "audit_key":
            self.new_key(line, said["data"], own)
        if chain == "" and said["kind"] == "checkpoint":
            self.checkpoint(line, said["data"], own)
        self.decision(chain, said["kind"], said["data"], line, own)
        self.rows += 1

    def values(self, line, said, own):
        sealed = sealed_in(said["data"])
        for digest, text in (line.get("opened") or {}).items():
            if digest not in sealed:
                self.fail("foreign value", own)
            elif not isinstance(text, str) or hash_of(text) != digest:
                self.fail("changed value", own)
            sealed.discard(digest)
        if sealed:
            self.closed.append((self.line, own, said["chain"], said["seq"]))

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

    def decision(self, chain, kind, data, line, own):
        if not isinstance(data, dict):
            return
        key = (chain, data.get("batch"), data.get("attempt"), data.get("digest"))
        if kind == "decision" and (data.get("decision"), data.get("outcome")) == ("continue", "accepted"):
            self.accepted.add(key)
        if kind != "batch":
            return
        if key not in self.accepted and not self.part:
            self.fail("a batch that nobody confirmed", own)
        text = (line.get("opened") or {}).get(data.get("sealed"))
        tree = json.loads(text)[1].get("tree") if text else None
        if tree:
            texts = [tree["head"]] + [json.dumps(leaf, separators=(",", ":"), ensure_ascii=False) for leaf in tree["leaves"]]
            if root_of([leaf_hash(one) for one in texts]).hex() != data["digest"]:
                self.fail("other items than confirmed", own)

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


def verify(path, keys):
    with open(path, "rb") as file:
        return Verifier(keys).verify(file.read())


if __name__ == "__main__":
    if sys.argv[1:] == ["--many"]:
        # For tests: an export and its keys a line; the failures of each, a line.
        for asked in sys.stdin:
            path, keys = json.loads(asked)
            print(json.dumps(verify(path, keys).failures), flush=True)
        sys.exit(0)
    found = verify(sys.argv[1], sys.argv[2:])
    for failure in found.failures:
        print(failure)
    if not found.failures:
        print(f"{found.rows} rows are as they were written")
    sys.exit(1 if found.failures else 0)
