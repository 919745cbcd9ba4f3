"""The command line `clausal`: rules, predictions, explanations and reports from tables in files.

Not here: learning and explaining; the commands call functions of the package.
"""

from clausal.cli.app import app, main
from clausal.cli.commands.demo import demo
from clausal.cli.commands.explain import explain
from clausal.cli.commands.export import export
from clausal.cli.commands.fit import fit
from clausal.cli.commands.info import info
from clausal.cli.commands.predict import predict
from clausal.cli.commands.report import report
from clausal.cli.commands.rules import rules
from clausal.cli.commands.tune import tune

__all__ = ["app", "main"]

for command in (fit, predict, rules, explain, report, tune, export, demo, info):
    command.register(app)
