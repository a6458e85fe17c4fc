#!/usr/bin/env python3
"""One model over several real nodes behind a real service (examples/pipeline): whatever happens to nodes, what comes out is what the
whole model says in one process, to the last bit of every score, and no request is lost without a word.

    tests/pipeline/engine_test.py build/release/switchyard [Divisions|Churn|Refusals]
"""

import contextlib
import json
import shutil
import signal
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from yard import Model, Yard, all_at_once, wait_for
import weights
from ask import NoAnswer
from model import whole_answer
from share import Moved, Share

BINARY = None
QUESTIONS = ["What is a switchyard?", "Where do layers go?", "Who is next?"]


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="switchyard-weights-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.model = Model(cls.folder / "weights")

    def yard(self, **scheduling):
        return Yard(BINARY, self.model, scheduling)

    @contextlib.contextmanager
    def in_halves(self, names, *words, **scheduling):
        """Half of the nodes hold the first half of the layers and half the second, so that there is a way around each."""
        with self.yard(**scheduling) as yard:
            for name in names:
                yard.node(name, *words, max_layers=4)
            yard.offer()
            wait_for("all pipelines", lambda: len(yard.shown()["pipelines"]) == len(names) // 2)
            yield yard

    def all_asking(self, yard, count):
        """Each has some of its answer, and waits."""
        clients = [yard.ask(question, count) for question in QUESTIONS]
        all_at_once([lambda client=client: client.come_to(5) for client in clients])
        return clients

    def assert_answered(self, *clients):
        """All tokens come, and they are the whole model's."""
        all_at_once([client.finish for client in clients])
        for client in clients:
            self.assertEqual(client.answer, self.model.answer(client.prompt, client.count), client.events)

    def assert_all_accounted_for(self, yard, requests):
        shown = yard.shown()
        self.assertEqual((shown["running"], shown["waiting"]), (0, 0))
        self.assertEqual({key: shown["counts"][key] for key in ("ended", "refused", "failed")},
                         {"ended": requests, "refused": 0, "failed": 0})


class Divisions(Engine):
    def test_other_weights_or_a_forgotten_token_would_be_seen(self):
        """Otherwise the comparisons below would show nothing."""
        said = [self.model.answer(question, 40) for question in QUESTIONS]
        for answer in said:
            self.assertGreater(len(set(answer)), 8)
        other = self.model.layers[:5] + self.model.layers[4:5] + self.model.layers[6:]
        self.assertNotEqual(said[0], whole_answer(self.model.SHAPE, self.model.embedding, other, self.model.head, QUESTIONS[0].encode(), 40))
        self.assertNotEqual(said[0], self.model.answer(QUESTIONS[0][1:], 40))

    def test_a_share_reads_what_it_lacks_and_gives_up_the_rest_at_once(self):
        folder = self.folder / "shared"
        shutil.copytree(self.model.folder, folder)
        share = Share(folder, lambda _: None)
        share.hold(0, 4)
        wait_for("the first layers", lambda: share.range == (0, 4))
        kept = share.layers(2, 4)
        for number in (2, 3):
            (folder / f"layer-{number:03}.f32").unlink()
        share.hold(2, 6)
        self.assertEqual(share.layers(2, 4), kept, "they go on being served")
        for gone in (lambda: share.layers(0, 2), share.embedding):
            self.assertRaises(Moved, gone)
        wait_for("the others", lambda: share.range == (2, 6))
        share.hold(4, 8)
        share.hold(5, 6)
        wait_for("what was said last", lambda: not share.is_loading())
        self.assertEqual(len(share.layers(5, 6)), 1)
        self.assertRaises(Moved, share.layers, 4, 6)
        share.hold(0, 0)
        self.assertRaises(Moved, share.layers, 5, 6)
        self.assertIsNone(share.error)

    def test_five_unlike_nodes_say_what_the_whole_model_says(self):
        with Yard(BINARY, self.model, over_tcp=True) as yard:
            for name, size in {"a": 2, "b": 1, "c": 3, "d": 1, "e": 1}.items():
                yard.node(name, max_layers=size)
            yard.offer()
            commands = [yard.start_ask(question, 20) for question in QUESTIONS]
            for question, command in zip(QUESTIONS, commands):
                output, complaint = command.communicate(timeout=60)
                self.assertEqual((command.returncode, complaint), (0, ""))
                happened = [json.loads(line) for line in output.splitlines()]
                self.assertEqual(sorted(node for node, _, _ in happened[0]["way"]), list("abcde"))
                self.assertEqual([(each["token"], each["score"]) for each in happened[1:]], self.model.answer(question, 20))
            self.assert_all_accounted_for(yard, len(commands))
            wait_for("the pace of every node", lambda: all(node["ms_per_layer"] > 0 for node in yard.shown()["nodes"]))


class Churn(Engine):
    def test_a_node_killed_in_the_middle_of_answers(self):
        with self.in_halves("abcd") as yard:
            clients = self.all_asking(yard, 20)
            victim = clients[0].nodes()[1]
            yard.signal(victim, signal.SIGKILL)
            self.assert_answered(*clients)
            self.assertIn(victim, clients[0].said("broken"))
            self.assertNotIn(victim, clients[0].nodes())
            self.assert_all_accounted_for(yard, len(clients))

    def test_a_node_that_hangs_is_gone_around_and_comes_back_when_it_wakes(self):
        with self.in_halves("abcd", heartbeat_timeout_s=2) as yard:
            client = yard.ask(QUESTIONS[0], 20, patience_s=1)
            client.come_to(5)
            victim = client.nodes()[1]
            yard.signal(victim, signal.SIGSTOP)
            self.assert_answered(client)
            self.assertIn(victim, client.said("broken"))
            wait_for("the hanging node to be given up", lambda: yard.state(victim) is None)
            yard.signal(victim, signal.SIGCONT)
            wait_for("its return with what it holds", lambda: yard.state(victim) == "serving")
            self.assertEqual(yard.logs().count("holds layers"), 4)
            self.assert_all_accounted_for(yard, 1)

    def test_a_node_that_leaves_lets_those_who_are_there_end(self):
        with self.in_halves("abcd") as yard:
            clients = self.all_asking(yard, 20)
            leaver = clients[0].nodes()[0]
            yard.signal(leaver, signal.SIGTERM)
            self.assert_answered(*clients)
            self.assertEqual(clients[0].said("broken"), [])
            self.assertEqual(yard.nodes[leaver].wait(60), 0)
            self.assertIsNone(yard.state(leaver))

    def test_who_has_no_way_left_waits_for_a_newcomer_and_goes_on(self):
        with self.yard(heartbeat_timeout_s=2) as yard:
            yard.node("a", max_layers=4)
            yard.node("b", max_layers=4)
            yard.offer()
            client = yard.ask(QUESTIONS[0], 20)
            client.come_to(5)
            yard.signal(client.nodes()[1], signal.SIGKILL)
            yard.node("c", max_layers=4)
            self.assert_answered(client)
            self.assertIn("c", client.nodes())
            self.assert_all_accounted_for(yard, 1)

    def test_a_newcomer_takes_layers_over_while_requests_pass(self):
        with self.yard(rest_s=0.2, rebalance_threshold=0.01) as yard:
            for name, size in {"a": 3, "b": 3, "c": 2}.items():
                yard.node(name, max_layers=size)
            yard.offer()
            before = yard.counts()["rebalanced"]
            clients = self.all_asking(yard, 20)
            yard.node("d", max_layers=8)
            wait_for("the newcomer to serve", lambda: yard.state("d") == "serving")
            self.assert_answered(yard.ask(QUESTIONS[0], 20), *clients)
            self.assertGreater(yard.counts()["rebalanced"], before)
            self.assert_all_accounted_for(yard, len(clients) + 1)

    def test_who_slept_while_layers_moved_away_goes_on_where_they_are_now(self):
        with self.in_halves("abcdef", "--grace-s", "0", routing_strategy="rr", rest_s=4, rebalance_threshold=0.01) as yard:
            clients = self.all_asking(yard, 20) + self.all_asking(yard, 20)
            halves = [[name for name in "abcdef" if yard.holds(name) == half] for half in ([0, 4], [4, 8])]
            for name in halves[1][:2]:
                yard.signal(name, signal.SIGTERM)
            wait_for("one of three to give up its layers for others",
                     lambda: any(yard.holds(name) == [4, 8] and yard.state(name) == "serving" for name in halves[0]))
            self.assert_answered(*clients)
            self.assertIn("moved", [kind for client in clients for kind in client.said("kind")])
            self.assert_all_accounted_for(yard, len(clients))

    def test_a_service_killed_and_started_anew_finds_everybody_where_they_were(self):
        with self.in_halves("abcd") as yard:
            client = yard.ask(QUESTIONS[0], 20)
            client.come_to(5)
            victim = client.nodes()[1]
            yard.yard.kill()
            yard.yard.wait()
            yard.signal(victim, signal.SIGKILL)
            yard.start_service()
            self.assert_answered(client)
            self.assertNotIn(victim, client.nodes())
            self.assertEqual(yard.logs().count("holds layers"), 4, "nobody read any layer again")
            self.assertEqual((yard.shown()["running"], yard.counts()["ended"], yard.counts()["failed"]), (0, 1, 0))


class Refusals(Engine):
    def test_a_model_that_nobody_can_serve(self):
        with self.yard() as yard:
            yard.offer()
            command = yard.start_ask(QUESTIONS[0], 5)
            self.assertIn("there is no node", command.communicate(timeout=60)[1])
            self.assertEqual(command.returncode, 1)
            damaged = self.folder / "damaged"
            shutil.copytree(self.model.folder, damaged)
            (damaged / "layer-003.f32").write_bytes(b"short")
            self.assertEqual(yard.node("a", max_layers=8, weights_folder=damaged).wait(60), 1)
            self.assertIn("layer-003.f32 has 5 bytes", yard.logs())
            self.assertEqual(yard.shown()["nodes"], [])

    def test_what_is_too_long_or_too_much_is_refused(self):
        with self.yard() as yard:
            yard.node("a", "--most-lines", "1", max_layers=8)
            yard.offer()
            too_long = yard.ask("x" * (self.model.SHAPE.max_positions + 1), 5)
            with self.assertRaisesRegex(NoAnswer, f"would have {self.model.SHAPE.max_positions + 1}"):
                too_long.finish()
            self.assertEqual(too_long.said("broken"), [], "nobody is to blame")
            first, second = yard.ask(QUESTIONS[0], 20), yard.ask(QUESTIONS[1], 20)
            first.come_to(5)
            with ThreadPoolExecutor(1) as thread:
                waiting = thread.submit(second.finish)
                wait_for("the second to be turned away", lambda: "full" in second.said("kind"))
                first.finish()
                waiting.result(60)
            self.assert_answered(first, second)
            self.assert_all_accounted_for(yard, 3)

    def test_weights_of_two_models_are_not_mixed(self):
        weights.write(self.folder / "other", self.model.SHAPE, seed=2)
        with self.yard() as yard:
            yard.node("a", max_layers=4)
            yard.node("b", max_layers=4, weights_folder=self.folder / "other")
            yard.offer()
            with self.assertRaisesRegex(NoAnswer, "has the weights of another model"):
                yard.ask(QUESTIONS[0], 5).finish()


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    BINARY = sys.argv.pop(1)
    unittest.main()
