"""A program that speaks the protocol without benchsite, and breaks it as its first argument says."""

import json
import os
import sys
import time


def main(habit):
    for line in sys.stdin:
        request = json.loads(line)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": None}
        if request["method"] == "initialize":
            answer["result"] = {"name": "program", "version": "2.1.0", "author": "tests"}
            if habit == "options":
                answer["result"]["options"] = ["depth"]
        elif request["method"] == "ping":
            del answer["result"]
            answer["error"] = {"code": -32601, "message": "no such method"}
        elif request["method"] == "query":
            answer["result"] = {"hits": [["d0001", 0.5, "text"]]}
            speak(habit, answer)
            continue
        say(json.dumps(answer))


def speak(habit, answer):
    texts = {
        "honest": json.dumps(answer),
        "garbage": "hello",
        "array": "[]",
        "version": json.dumps({**answer, "jsonrpc": "1.0"}),
        "id": json.dumps({**answer, "id": 999}),
        "neither": json.dumps({"jsonrpc": "2.0", "id": answer["id"]}),
        "twice": json.dumps(answer) + "\n" + json.dumps(answer),
        "prints": "Loading the model...\n" + json.dumps(answer),
        "deep": "[" * 200_000,
        "number": '{"jsonrpc":"2.0","id":1' + "0" * 9000 + "}",
        "hits": json.dumps({**answer, "result": []}),
    }
    if habit == "latin":
        sys.stdout.buffer.write(b'{"\xff": 1}\n')
        sys.stdout.buffer.flush()
    elif habit == "closes":
        os.close(1)
        time.sleep(60)
    elif habit == "deaf":
        os.close(0)
        say(texts["honest"])
        time.sleep(60)
    elif habit == "slow":
        for character in texts["honest"] + "\n":
            sys.stdout.write(character)
            sys.stdout.flush()
            time.sleep(0.005)
    elif habit in ("half", "half-and-ends"):
        sys.stdout.write(texts["honest"][:20])
        sys.stdout.flush()
        if habit == "half-and-ends":
            sys.exit(7)
    else:
        say(texts[habit])


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


main(sys.argv[1])
