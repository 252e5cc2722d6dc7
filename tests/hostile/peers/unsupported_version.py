"""Wants a revision that does not exist."""

from good import RESULTS, serve

RESULTS["initialize"]["protocolVersion"] = "2099-01-01"
serve()
