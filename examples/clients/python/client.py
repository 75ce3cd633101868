"""One bulk operation from start to cancel, with only Temporal's own Python client and JSON.

TEMPORAL_ADDRESS is the address of the server. A batchgate worker must be running on it.
"""

import asyncio
import os
import sys
import uuid

from temporalio.client import Client, WorkflowHandle, WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

REQUEST = {
    "domain": "gmail",
    "action": "label",
    "params": {
        "sender": "news@northwind-weekly.example",
        "label_name": "From Python",
        "create_label": True,
    },
    "batch_size": 10,
    "session_id": "python-example",
    "requested_by": "ana",
}


def plain(name: str) -> str:
    """A name as part of a line. Others chose it, and a line break or a terminal code in it could forge a line."""
    return "".join(one if one.isprintable() else f"\\u{ord(one):04x}" for one in name)


async def start(client: Client, request: dict) -> WorkflowHandle:
    """Starts an operation and waits for its first question, or for its refusal."""
    handle = await client.start_workflow(
        "bulkOperation",
        request,
        id=f"bulk-{uuid.uuid4()}",
        task_queue="batchgate",
        static_summary=f"{request['action']} on {request['domain']}",
    )
    await handle.execute_update("ready", result_type=dict)
    return handle


async def confirm(handle: WorkflowHandle, gate: dict, decision_id: str, by: str) -> dict:
    """Runs exactly the batch that was shown, and returns when it has ended.

    Generate one decision id for each decision. Sending it again returns the first outcome and runs nothing.
    """
    named = {key: gate[key] for key in ("number", "attempt", "digest")}
    named["batch"] = named.pop("number")
    return await handle.execute_update(
        "continue", {**named, "decision_id": decision_id, "by": by}, result_type=dict
    )


async def refusal(handle: WorkflowHandle, gate: dict, by: str) -> ApplicationError:
    """A refused update raises. The type of its cause is the code, and the first detail contains the hint."""
    try:
        await confirm(handle, gate, str(uuid.uuid4()), by)
    except WorkflowUpdateFailedError as error:
        if isinstance(error.cause, ApplicationError):
            return error.cause
        raise
    raise RuntimeError("it was not refused")


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    handle = await start(client, REQUEST)

    status = await handle.query("status", result_type=dict)
    print(status["message"])
    first = status.get("next_batch")
    if first is None:
        return  # No item matches, or the start was refused: the message says which.
    for item in first["items"]:
        print(f"- {plain(item['display_name'])}")

    decision = str(uuid.uuid4())
    turn = await confirm(handle, first, decision, by="ana")
    print(turn["message"])
    again = await confirm(handle, first, decision, by="ana")
    print(f"The same decision again: {again['processed']} processed, as before.")

    refused = await refusal(handle, first, by="ben")
    print(f"An old question: {refused.type}: {refused.message}")

    ended = await handle.execute_update("cancel", {"by": "ana", "reason": "seen enough"}, result_type=dict)
    print(ended["message"])
    result = await handle.result()
    print(f"{result['state']}: {result['succeeded']} succeeded, {result['remaining']} remain")


if __name__ == "__main__":
    asyncio.run(main())
    # The client's threads may crash a short-lived interpreter while it shuts down (temporalio/sdk-python#300).
    sys.stdout.flush()
    os._exit(0)
