-- The trace: its window, and how long a tick is.
SELECT name, format, start_time, end_time, ticks_per_second, containers, states, events, variables, links, diagnostics
FROM trace_info
