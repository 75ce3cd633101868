"""Runs one operation from its start to its report. It knows the API only through the generated client, and learns only
from webhooks when a person has to be asked."""

import json
import os
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from batchgate_client import AuthenticatedClient
from batchgate_client.api.decisions import continue_bulk_operation as confirm
from batchgate_client.api.operations import get_report as report
from batchgate_client.api.operations import start_bulk_operation as start
from batchgate_client.models import ContinueBulkOperationBodyType0, Problem, StartBulkOperationBody
from standardwebhooks import Webhook

told = queue.Queue()
verified = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        message = Webhook(os.environ["HOOK_SECRET"]).verify(body, dict(self.headers))
        # A message may come twice.
        if self.headers["webhook-id"] not in verified:
            verified.add(self.headers["webhook-id"])
            told.put(message)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def answer(parsed):
    if isinstance(parsed, Problem):
        raise SystemExit(f"{parsed.code.value}: {parsed.message} {parsed.hint}")
    return parsed


url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key, raise_on_unexpected_status=True, timeout=60)
server = HTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
# The operator adds this receiver to the configuration of the worker.
sys.stdin.readline()

wish = {"domain": "fake", "action": "mark", "params": {"group": "all"}, "session_id": "python:1"}
begun = answer(
    start.sync(client=client, body=StartBulkOperationBody.from_dict(wish), idempotency_key="order-1")
)
operation_id = begun.operation_id
questions = []
while True:
    message = told.get(timeout=120)
    data = message["data"]
    if data["operation_id"] != operation_id or not data["current"]:
        continue
    if message["type"] != "awaiting_confirmation":
        break
    questions.append(data["message"])
    gate = data["next_batch"]
    said = {"batch": gate["number"], "attempt": gate["attempt"], "digest": gate["digest"], "by": "Grace"}
    body = ContinueBulkOperationBodyType0.from_dict(said)
    answer(confirm.sync(operation_id, client=client, body=body, idempotency_key=f"answer-{gate['number']}"))

refused = confirm.sync(operation_id, client=client, body=None)
rows = answer(report.sync(operation_id, client=client)).rows
print(
    json.dumps(
        {
            "questions": questions,
            "end": message["type"],
            "late": refused.code.value,
            "rows": [row.to_dict() for row in rows],
        }
    )
)
