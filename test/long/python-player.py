"""Plays calls on the official Python client: one {"name", "arguments"} a line in; {"waiting"} once a call waits for a
person, and {"answer", "is_error"} when it is over, a line each out."""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


def say(**what):
    print(json.dumps(what), flush=True)


async def play(client, name, arguments):
    calls = 0

    async def waits(progress, total, message):
        nonlocal calls
        calls += 1
        if calls == 1:
            say(waiting=message)

    result = await client.call_tool(name, arguments, progress_callback=waits)
    say(answer=result.structured_content, is_error=result.is_error)


async def main(url, key):
    async with create_mcp_http_client(headers={"Authorization": f"Bearer {key}"}) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            loop = asyncio.get_running_loop()
            while line := await loop.run_in_executor(None, sys.stdin.readline):
                await play(client, **json.loads(line))


asyncio.run(main(*sys.argv[1:]))
