"""The examples in docstrings run and print what they say.

pytest's own collection would import the folder `widgets` under that name, which is not the name it
installs as, so the modules are found here by the names that users import.
"""

import doctest
import importlib
import pkgutil

import pytest

from minigrad.op import OPS


def _modules(package):
    yield package
    for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
        yield module.name


@pytest.mark.parametrize("name", [*_modules("minigrad"), *_modules("minigrad_widgets")])
def test_examples(name):
    module = importlib.import_module(name)
    dir(module)  # what it makes at the first look is made now, not while it is searched
    run(module)


@pytest.mark.parametrize("function", OPS.values(), ids=lambda function: function.op.name)
def test_example_of_an_op(function):
    """The functions of ops are made, not written: a module's finder takes them for another's."""
    run(function, function.op.name, globs={})


def run(thing, *name, **settings):
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    report = []
    runner = doctest.DocTestRunner(optionflags=flags)
    for example in doctest.DocTestFinder().find(thing, *name, **settings):
        runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)
