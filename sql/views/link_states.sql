-- The state a container was in when a link left it, and that of the other when it arrived.
--
-- The innermost state counts. A state that starts at the instant covers it, one that ends there does not. NULL
-- where the container was in no state. A link has one row; where containers have several types of states, one
-- for each pair of them.
--
-- Columns:
--   type               TEXT     Type of the link.
--   value              TEXT     Value of the link.
--   key                TEXT     What matched its start to its end.
--   source_id          INTEGER  The container where it started.
--   source             TEXT     Name of that container.
--   target_id          INTEGER  The container where it ended.
--   target             TEXT     Name of that container.
--   start_time         DOUBLE   When it left.
--   end_time           DOUBLE   When it arrived.
--   volume             DOUBLE   What it carried; NULL when it does not tell.
--   source_state_type  TEXT     Type of the state of the source.
--   source_state       TEXT     State of the source when the link left.
--   target_state_type  TEXT     Type of the state of the target.
--   target_state       TEXT     State of the target when the link arrived.
--
-- Example:
--   SELECT key, source, source_state, target, target_state
--   FROM link_states
--   ORDER BY start_time
WITH departures AS (
    SELECT
        type,
        value,
        key,
        source_id,
        source,
        target_id,
        target,
        start_time,
        end_time,
        volume,
        type_right AS source_state_type,
        value_right AS source_state
    FROM interval_join(
        links,
        state_segments,
        by => 'source_id = container_id',
        kind => 'left',
        left_end => 'start_time'
    )
)
SELECT
    type,
    value,
    key,
    source_id,
    source,
    target_id,
    target,
    start_time,
    end_time,
    volume,
    source_state_type,
    source_state,
    type_right AS target_state_type,
    value_right AS target_state
FROM interval_join(
    departures,
    state_segments,
    by => 'target_id = container_id',
    kind => 'left',
    left_start => 'end_time'
)
