"""Checks a proof of batchgate without batchgate: python3 verify.py proof.json [DIGEST]

The format is in docs/proofs.md. DIGEST is a digest that you know from elsewhere, such as the one that was signed: then
only a proof of that question passes.
"""
import base64
import hashlib
import json
import sys


def sha256(data):
    return hashlib.sha256(data).digest()


def root_from(leaf, at, size, path):
    """The root of a tree of this size with this leaf at this place: RFC 9162, section 2.1.3.2."""
    if not 0 <= at < size:
        raise ValueError("the leaf is outside of the tree")
    place, last = at, size - 1
    value = sha256(b"\x00" + leaf.encode())
    for beside in map(bytes.fromhex, path):
        if last == 0 or len(beside) != 32:
            raise ValueError("the path does not fit the tree")
        if place % 2 == 1 or place == last:
            value = sha256(b"\x01" + beside + value)
            while place % 2 == 0 and place != 0:
                place, last = place >> 1, last >> 1
        else:
            value = sha256(b"\x01" + value + beside)
        place, last = place >> 1, last >> 1
    if last != 0:
        raise ValueError("the path is too short")
    return value.hex()


def require(condition, claim):
    if not condition:
        raise ValueError(f"it is not so that {claim}")


def plain(text):
    """The text as part of a line. Others chose it, and a line break or a terminal code in it could forge a line."""
    return "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in str(text))


def check(document, proof):
    """What was confirmed, and the item as it was frozen. Raises an exception unless the proof proves it."""
    root, size, head, item = proof["root"], proof["size"], proof["head"], proof["item"]
    require(root_from(head["leaf"], 0, size, head["path"]) == root, "the head is the first leaf")
    require(root_from(item["leaf"], item["at"], size, item["path"]) == root, "the item is in the tree")
    asked, frozen = json.loads(head["leaf"]), json.loads(item["frozen"])
    seal = base64.urlsafe_b64encode(sha256(item["frozen"].encode())[:24]).decode()
    require(json.loads(item["leaf"])[1] == seal, "the leaf is that of the item")
    require(asked["items"] == size - 1, "the question had that many items")
    require(asked["operation_id"] == document["operation_id"], "it was asked by that operation")
    require(frozen["id"] == document["item_id"], "it is about that item")
    for decision in proof["decisions"]:
        of_question = [decision["digest"], decision["batch"], decision["attempt"]]
        require(of_question == [root, asked["batch"], asked["attempt"]], "the decision is on this question")
    return asked, frozen


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    require(document["format"] == "batchgate-item-proof-1" and document["proofs"], "it is such a proof")
    for proof in document["proofs"]:
        require(len(sys.argv) < 3 or proof["root"] == sys.argv[2], "the digest is the expected one")
        asked, frozen = check(document, proof)
        name, item_id, summary = map(plain, (frozen["display_name"], frozen["id"], asked["change"]["summary"]))
        print(f"{proof['root']} covers {name} ({item_id}): {summary}")
        for decision in proof["decisions"]:
            what, at, by = map(plain, (decision["decision"], decision["decided_at"], decision.get("by", "no name")))
            print(f"  {what} by {by} at {at}")
