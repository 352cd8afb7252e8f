-- Changes that replay_savings tries when it is not told which.
--
-- An ideal network, half the latency, twice the bandwidth, balanced phases, then the ten values in which containers
-- spend most time on their own, in half the time, and the ten containers that spend most, twice as fast. A view of
-- your own with the same columns is a list of your own: replay_savings(state_segments, links, mine). NULL changes
-- nothing.
--
-- Columns:
--   change        TEXT     What is changed.
--   network       TEXT     ideal: the network takes no time.
--   bandwidth     DOUBLE   Factor on the bandwidth of links.
--   latency       DOUBLE   Factor on the latency of links.
--   factor        DOUBLE   Factor on the time of states.
--   value         TEXT     Value of the states that factor is for.
--   container_id  INTEGER  Topmost container that the change applies to.
--   start_time    DOUBLE   Since when it applies, in seconds.
--   end_time      DOUBLE   Until when it applies.
--   balance       TEXT     phases: in each phase all containers work equally long.
--
-- Example:
--   SELECT change, network, bandwidth, latency, factor, value, container_id, balance
--   FROM replay_changes
--   ORDER BY change
WITH own AS (
    SELECT
        segments.container_id,
        segments.container,
        segments.value,
        sum(CAST(segments.end_tick - segments.start_tick AS DECIMAL(20, 0))) AS ticks
    FROM state_segments AS segments
    JOIN state_activities AS activities
        ON activities.type = segments.type
        AND activities.value = segments.value
    WHERE activities.activity NOT IN ('communication', 'waiting')
    GROUP BY segments.container_id, segments.container, segments.value
),
long_values AS (
    SELECT value
    FROM own
    GROUP BY value
    ORDER BY sum(ticks) DESC, value
    LIMIT 10
),
long_containers AS (
    SELECT
        container_id,
        container
    FROM own
    GROUP BY container_id, container
    ORDER BY sum(ticks) DESC, container_id
    LIMIT 10
),
of_the_network AS (
    SELECT
        change,
        network,
        bandwidth,
        latency,
        balance
    FROM (
        VALUES
            ('ideal network', 'ideal', 1.0, 1.0, NULL),
            ('half the latency', NULL, 1.0, 0.5, NULL),
            ('twice the bandwidth', NULL, 2.0, 1.0, NULL),
            ('balanced phases', NULL, 1.0, 1.0, 'phases')
    ) AS changes (change, network, bandwidth, latency, balance)
)
SELECT
    change,
    CAST(network AS VARCHAR) AS network,
    CAST(bandwidth AS DOUBLE) AS bandwidth,
    CAST(latency AS DOUBLE) AS latency,
    CAST(NULL AS DOUBLE) AS factor,
    CAST(NULL AS VARCHAR) AS value,
    CAST(NULL AS INTEGER) AS container_id,
    CAST(NULL AS DOUBLE) AS start_time,
    CAST(NULL AS DOUBLE) AS end_time,
    CAST(balance AS VARCHAR) AS balance
FROM of_the_network
UNION ALL
SELECT
    value || ' in half the time',
    NULL,
    NULL,
    NULL,
    0.5,
    value,
    NULL,
    NULL,
    NULL,
    NULL
FROM long_values
UNION ALL
SELECT
    container || ' twice as fast',
    NULL,
    NULL,
    NULL,
    0.5,
    NULL,
    container_id,
    NULL,
    NULL,
    NULL
FROM long_containers
