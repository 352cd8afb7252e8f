-- How much each container computes for what it communicates: a measure of its efficiency.
--
-- The times of container_activities side by side: the seven of them add up to the life of the container. Time in
-- no state counts as what no_state_activities says. Containers without states have no row. Rows of several types of
-- states of one container must not be added up.
--
-- Columns:
--   container_id           INTEGER  The container.
--   container              TEXT     Name of the container.
--   type                   TEXT     Type of the states.
--   computation_seconds    DOUBLE   Time of computation.
--   communication_seconds  DOUBLE   Time of communication.
--   waiting_seconds        DOUBLE   Time of waiting.
--   overhead_seconds       DOUBLE   Time of overhead.
--   input_output_seconds   DOUBLE   Time of input/output.
--   start_and_end_seconds  DOUBLE   Time of start and end.
--   other_seconds          DOUBLE   All other time: unknown, or an activity of your own rules.
--   ratio                  DOUBLE   Computation / (communication + waiting); NULL when there is none of these.
--   efficiency             DOUBLE   Computation / life of the container; NULL when it lives no time.
--
-- Example:
--   SELECT container, computation_seconds, communication_seconds, waiting_seconds, round(ratio, 9) AS ratio
--   FROM computation_vs_communication
--   ORDER BY container_id

-- One of the combinations of Schnorr's thesis, table 4.1: time over time.
WITH times AS (
    SELECT
        container_id,
        container,
        type,
        coalesce(sum(ticks) FILTER (WHERE activity = 'computation'), 0) AS computation,
        coalesce(sum(ticks) FILTER (WHERE activity = 'communication'), 0) AS communication,
        coalesce(sum(ticks) FILTER (WHERE activity = 'waiting'), 0) AS waiting,
        coalesce(sum(ticks) FILTER (WHERE activity = 'overhead'), 0) AS overhead,
        coalesce(sum(ticks) FILTER (WHERE activity = 'input/output'), 0) AS input_output,
        coalesce(sum(ticks) FILTER (WHERE activity = 'start and end'), 0) AS start_and_end,
        sum(ticks) AS life
    FROM container_activities
    GROUP BY container_id, container, type
)
SELECT
    container_id,
    container,
    type,
    tick_seconds(computation, (SELECT ticks_per_second FROM trace_info)) AS computation_seconds,
    tick_seconds(communication, (SELECT ticks_per_second FROM trace_info)) AS communication_seconds,
    tick_seconds(waiting, (SELECT ticks_per_second FROM trace_info)) AS waiting_seconds,
    tick_seconds(overhead, (SELECT ticks_per_second FROM trace_info)) AS overhead_seconds,
    tick_seconds(input_output, (SELECT ticks_per_second FROM trace_info)) AS input_output_seconds,
    tick_seconds(start_and_end, (SELECT ticks_per_second FROM trace_info)) AS start_and_end_seconds,
    tick_seconds(
        life - computation - communication - waiting - overhead - input_output - start_and_end,
        (SELECT ticks_per_second FROM trace_info)
    ) AS other_seconds,
    CAST(computation AS DOUBLE) / nullif(communication + waiting, 0) AS ratio,
    CAST(computation AS DOUBLE) / nullif(life, 0) AS efficiency
FROM times
