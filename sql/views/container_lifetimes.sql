-- When each container lived, and for which part of the trace.
--
-- container_id  the container
-- container     name of the container
-- type          type of the container
-- path          names from the root down to it
-- depth         distance from the root
-- start_time    when it was created, in seconds
-- end_time      when it was destroyed, in seconds
-- seconds       how long it lived
-- share         which part of the trace that is; NULL when the trace takes no time
-- began_after   seconds from the start of the trace to its creation
-- ended_before  seconds from its end to the end of the trace
SELECT
    containers.container_id,
    containers.name AS container,
    containers.type,
    containers.path,
    containers.depth,
    containers.start_time,
    containers.end_time,
    tick_seconds(containers.end_tick - containers.start_tick, trace_info.ticks_per_second) AS seconds,
    CAST(containers.end_tick - containers.start_tick AS DOUBLE)
        / nullif(trace_info.end_tick - trace_info.start_tick, 0) AS share,
    tick_seconds(containers.start_tick - trace_info.start_tick, trace_info.ticks_per_second) AS began_after,
    tick_seconds(trace_info.end_tick - containers.end_tick, trace_info.ticks_per_second) AS ended_before
FROM trace_info
CROSS JOIN containers
