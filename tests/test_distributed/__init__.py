"""Tests of `rosenblatt.distributed`; a folder of that name would hide the package `distributed`."""
