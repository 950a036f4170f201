"""The `query` command: SQL over the tables of a run."""

import json

from mesocosm.cli.app import status


def test_query_prints_rows(cli, recorded, capsys):
    sql = "SELECT reason, count(*) AS n FROM episode GROUP BY reason"
    assert status(["query", f"{recorded}/a", sql]) == 0
    assert capsys.readouterr().out.split() == ["reason", "n", "timeout", "6"]
    assert status(["query", f"{recorded}/a", sql, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [{"reason": "timeout", "n": 6}]
    assert status(["query", f"{recorded}/a", "SELECT * FROM '/etc/passwd'"]) == 2
    assert "query: " in capsys.readouterr().err


def test_query_takes_one_statement(recorded, capsys):
    capsys.readouterr()
    assert status(["query", f"{recorded}/a", "SELECT 1; SELECT 2"]) == 2
    assert "must be one SELECT" in capsys.readouterr().err
    assert status(["query", f"{recorded}/a", "SELECT 1;"]) == 0
