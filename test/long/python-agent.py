"""An agent on the official Python client. It prints the page of each question once its call waits there; at the end, what
it learnt. It never sees who decides, or where."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def say(**what):
    print(json.dumps(what), flush=True)


async def answer(client, name, arguments, waits=None):
    result = await client.call_tool(name, arguments, progress_callback=waits)
    if result.is_error:
        raise SystemExit(f"{name}: {result.structured_content}")
    return result.structured_content


async def confirmed(client, status):
    """One call: it asks, waits for the person, and returns with the outcome of that batch."""
    calls = 0

    async def waits(progress, total, message):
        nonlocal calls
        calls += 1
        if calls == 1:
            say(page=status["approval_url"], while_waiting=message)

    asked = {"operation_id": status["operation_id"], "batch": status["next_batch"]["number"]}
    return await answer(client, "continue_bulk_operation", asked, waits)


async def work(server):
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        params = {"group": "old", "mark": "later"}
        wish = {"domain": "mail", "action": "mark", "params": params, "reason": "They are old."}
        started = await answer(client, "start_bulk_operation", wish)
        outcome = await confirmed(client, started)
        retry = await answer(
            client, "retry_failed_items", {"operation_id": started["operation_id"]}
        )
        retried = await confirmed(client, retry)
        asked = {"operation_id": started["operation_id"]}
        report = await answer(client, "get_bulk_report", asked)
        say(tools=len(names), outcome=outcome, retried=retried, report=report["rows"])


async def main(server):
    if "url" not in server:
        return await work(StdioServerParameters(env=os.environ | server.pop("env"), **server))
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {server['key']}"}) as http:
        await work(streamable_http_client(server["url"], http_client=http))


asyncio.run(main(json.loads(sys.argv[1])))
