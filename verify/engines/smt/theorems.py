"""A solver's own answer on theorem claims: the negated goal, with instances or hypotheses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from verify import kernel
from verify.engines.protocol import Answer, Clause, Context, read
from verify.engines.smt.process import Reply, ask
from verify.engines.smt.systems import decide_system
from verify.engines.smt.translate import Question, instance, script
from verify.kernel import Atom, Expression, Term, number

Instance = tuple[str, Mapping[str, str]]


def decide(
    claim: Mapping[str, Any],
    goal_index: int,
    solver: str,
    instances: Iterable[Instance] | None = None,
    seconds: float = 10.0,
) -> Answer:
    """Whether a goal of a theorem claim follows from its hypotheses and lemmas.

    instances: (hypothesis, {variable: term}); if given, the solver first gets these alone, which
    needs no quantifiers, then everything. 'refuted' comes with the solver's model as text: a
    candidate, not a verdict. ValueError if there is no such goal or solver.
    """
    context, goals = read(claim)
    if not 0 <= goal_index < len(goals):
        raise ValueError(f"the claim has {len(goals)} goals; there is no goal {goal_index}")
    step = _Step(context, (), goals[goal_index], tuple(instances or ()))
    return _answer(solver, step, seconds)


def judge(claim: Mapping[str, Any], solver: str, seconds: float = 10.0) -> Answer:
    """What a solver says of a claim without any help: 'proved' if every goal is."""
    if claim.get("kind") != "theorem":
        return decide_system(claim, solver, seconds)
    answers = []
    for k in range(len(claim["goals"])):
        answers.append(decide(claim, k, solver, seconds=seconds))
        if answers[-1].outcome != "proved":
            break
    return answers[-1]


def second_opinion(
    claim: Mapping[str, Any], proof: Mapping[str, Any], solver: str, seconds: float = 10.0
) -> Answer:
    """What a solver says of a claim, helped by the instances and inductions of a kernel proof.

    A claim of systems is asked without help. 'proved' if every part is, else the first other
    answer. seconds: for each part.
    """
    if claim.get("kind") != "theorem":
        return decide_system(claim, solver, seconds)
    context, goals = read(claim)
    answers = []
    for goal, part in zip(goals, proof["goals"], strict=True):
        for step in _steps(context, (), goal, part):
            answers.append(_answer(solver, step, seconds))
            if answers[-1].outcome != "proved":
                return answers[-1]
    total = sum(answer.seconds for answer in answers)
    return Answer(solver, answers[-1].version, "proved", seconds=total)


@dataclass(frozen=True, slots=True)
class _Step:
    """A clause to prove from facts and the clauses of a context, with instances that help."""

    context: Context
    facts: tuple[Atom, ...]
    goal: Clause
    instances: tuple[Instance, ...] = field(default=())


def _steps(
    context: Context, facts: tuple[Atom, ...], goal: Clause, proof: Mapping[str, Any]
) -> Iterator[_Step]:
    """The clauses that a proof reduces a goal to: itself, or base and step of an induction."""
    if proof["rule"] != "induct":
        yield _Step(context, facts, goal, tuple(_instances(proof)))
        return
    name, first = proof["on"], context.read(proof["from"])
    variable = kernel.apply(name)
    bound = variable - first, ">="
    others = {n: s for n, s in goal.variables.items() if n != name}
    rest = Clause(others, [g for g in goal.guards if g != bound], goal.then)

    def at(value: Expression) -> Clause:
        return rest.map(lambda p: context.unfold(p.substitute({Term(name, ()): value})))

    yield from _steps(context, facts, at(first), proof["base"])
    inner = context.bind({name: "int"}, {"IH": rest})
    yield from _steps(inner, (*facts, bound), at(variable + number(1)), proof["step"])


def _instances(node: Any) -> Iterator[Instance]:
    """Every use of a hypothesis in a proof tree."""
    if isinstance(node, dict):
        if node.get("rule") == "use":
            yield node["of"], node["at"]
        for part in node.values():
            yield from _instances(part)
    elif isinstance(node, list):
        for part in node:
            yield from _instances(part)


def _answer(solver: str, step: _Step, seconds: float) -> Answer:
    context = step.context.bind(step.goal.variables, {})
    facts = (*step.facts, *step.goal.guards, kernel.negation(step.goal.then))
    spent = 0.0
    if step.instances:
        chosen = []
        for name, at in step.instances:
            if name not in context.clauses:
                raise ValueError(f"there is no hypothesis or lemma {name!r}")
            chosen.append(instance(context, context.clauses[name], at))
        few = Question(context, facts, tuple(chosen))
        reply = ask(solver, script(few), seconds / 2)
        if reply.outcome in ("unsat", "missing", "error"):
            return _translate(solver, reply, reply.seconds)
        spent = reply.seconds
    full = Question(context, facts, tuple(context.clauses.values()))
    reply = ask(solver, script(full), max(seconds / 2, seconds - spent))
    return _translate(solver, reply, spent + reply.seconds)


def _translate(solver: str, reply: Reply, spent: float) -> Answer:
    """The answer on a goal: its negation is unsatisfiable, or has a model."""
    version, reason = reply.version, reply.reason
    match reply.outcome:
        case "unsat":
            return Answer(solver, version, "proved", "unsat, no certificate", spent)
        case "sat":
            return Answer(solver, version, "refuted", "sat", spent, model=reply.model)
        case "missing":
            return Answer(solver, version, "missing", reason, spent)
        case "unknown":
            return Answer(solver, version, "unknown", reason, spent)
    return Answer(solver, version, "error", reason or reply.outcome, spent)
