-- The state in which each link left its source, and the state in which it arrived: one row per link.
--
-- Every state that touches the instant is looked at: one that covers it, starts there, ends there, or has no length
-- there. States of communication or waiting (state_activities) come before others. Of those left, a link leaves in the
-- one without length, else in the one that starts there, else in the one that covers the instant, else in the one that
-- ends there; it arrives in the one that ends there, else in the one without length, else in the one that covers the
-- instant, else in the one that starts there. Of several such, the deepest counts, then the one that starts last, then
-- the last by type and name. Only innermost states count (state_segments). NULL when no state touches the instant.
--
-- Columns:
--   type               TEXT     Type of the link.
--   value              TEXT     Value of the link.
--   key                TEXT     What matched its start to its end.
--   source_id          INTEGER  The container where it started.
--   source             TEXT     Name of that container.
--   target_id          INTEGER  The container where it ended.
--   target             TEXT     Name of that container.
--   start_time         DOUBLE   When it left, in seconds.
--   end_time           DOUBLE   When it arrived, in seconds.
--   volume             DOUBLE   What it carried; NULL when not recorded in the trace.
--   source_state_type  TEXT     Type of the state in which it left.
--   source_state       TEXT     State of the source in which it left.
--   target_state_type  TEXT     Type of the state in which it arrived.
--   target_state       TEXT     State of the target in which it arrived.
--
-- Example:
--   SELECT key, source, source_state, target, target_state
--   FROM link_states
--   ORDER BY start_time

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
    target_state_type,
    target_state
FROM states_of_links(state_segments, links)
