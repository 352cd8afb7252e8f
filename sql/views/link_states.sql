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

-- States are chosen once per container and instant, whatever the number of links there: so joining them with the
-- links cannot multiply rows.
--
--   computing  ####|    |####      leaves at |: in the send without length
--   send           |               arrives at |: in the receive that ends there
--   receive    ####|
WITH instants AS (
    SELECT
        'departure' AS side,
        source_id AS container_id,
        start_tick AS tick
    FROM links
    UNION
    SELECT
        'arrival' AS side,
        target_id AS container_id,
        end_tick AS tick
    FROM links
),
-- One tick longer, so that the end of a state belongs to it.
closed_states AS (
    SELECT
        segments.container_id,
        segments.type AS state_type,
        segments.value AS state,
        segments.depth,
        segments.start_tick,
        segments.end_tick,
        segments.end_tick + 1 AS after_tick,
        CASE WHEN activities.activity IN ('communication', 'waiting') THEN 0 ELSE 1 END AS kind
    FROM state_segments AS segments
    LEFT JOIN state_activities AS activities
        ON activities.type = segments.type
        AND activities.value = segments.value
),
touching AS (
    SELECT
        side,
        container_id,
        tick,
        state_type,
        state,
        depth,
        start_tick,
        kind,
        CASE
            WHEN start_tick = end_tick THEN CASE side WHEN 'departure' THEN 1 ELSE 2 END
            WHEN start_tick = tick THEN CASE side WHEN 'departure' THEN 2 ELSE 4 END
            WHEN end_tick = tick THEN CASE side WHEN 'departure' THEN 4 ELSE 1 END
            ELSE 3
        END AS place
    FROM interval_join(
        instants,
        closed_states,
        left_start => 'tick',
        left_end => 'tick',
        right_start => 'start_tick',
        right_end => 'after_tick'
    )
),
chosen AS (
    SELECT
        side,
        container_id,
        tick,
        first_value(state_type ORDER BY kind, place, depth DESC, start_tick DESC, state_type DESC, state DESC) AS state_type,
        first_value(state ORDER BY kind, place, depth DESC, start_tick DESC, state_type DESC, state DESC) AS state
    FROM touching
    GROUP BY side, container_id, tick
)
SELECT
    links.type,
    links.value,
    links.key,
    links.source_id,
    links.source,
    links.target_id,
    links.target,
    links.start_time,
    links.end_time,
    links.volume,
    departures.state_type AS source_state_type,
    departures.state AS source_state,
    arrivals.state_type AS target_state_type,
    arrivals.state AS target_state
FROM links
LEFT JOIN chosen AS departures
    ON departures.side = 'departure'
    AND departures.container_id = links.source_id
    AND departures.tick = links.start_tick
LEFT JOIN chosen AS arrivals
    ON arrivals.side = 'arrival'
    AND arrivals.container_id = links.target_id
    AND arrivals.tick = links.end_tick
