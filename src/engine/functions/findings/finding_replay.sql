WITH found AS (
    SELECT
        found.*,
        highest.preorder AS first_place,
        highest.last_descendant AS last_place
    FROM given.plans.found AS found
    LEFT JOIN containers AS highest
        ON highest.container_id = found.container_id
),
-- States of computation that begin in the time of a slow container, there and elsewhere.
lengths AS (
    SELECT
        found.rank,
        states.value,
        places.preorder BETWEEN found.first_place AND found.last_place AS is_below,
        count(*) AS states,
        sum(states.end_time - states.start_time) AS seconds
    FROM found
    JOIN given.plans.states AS states
        ON states.start_time >= found.start_time
        AND states.start_time < found.end_time
    JOIN state_activities AS activities
        ON activities.type = states.type
        AND activities.value = states.value
    JOIN containers AS places
        ON places.container_id = states.container_id
    WHERE found.kind = 'slow_container' AND activities.activity = 'computation'
    GROUP BY found.rank, states.value, places.preorder BETWEEN found.first_place AND found.last_place
),
-- What its states would take at the speed of the others, over what they took; least would pass over a NULL.
speeds AS (
    SELECT
        slow.rank,
        CASE WHEN sum(slow.seconds) > 0
             THEN least(sum(slow.states * others.seconds / others.states) / sum(slow.seconds), 1) END AS factor
    FROM lengths AS slow
    JOIN lengths AS others
        ON others.rank = slow.rank
        AND others.value = slow.value
    WHERE slow.is_below AND NOT others.is_below
    GROUP BY slow.rank
),
-- The cause is taken away.
changes AS (
    SELECT
        CAST(found.rank AS VARCHAR) AS change,
        CASE WHEN found.kind = 'network' THEN 'ideal' END AS network,
        CASE WHEN found.kind = 'small_messages' THEN 0.0 END AS latency,
        CASE WHEN found.kind = 'load_imbalance' THEN 'phases' END AS balance,
        CASE WHEN found.kind = 'serialisation' THEN 0.0 ELSE speeds.factor END AS factor,
        found.container_id,
        found.start_time,
        found.end_time
    FROM found
    LEFT JOIN speeds
        ON speeds.rank = found.rank
    WHERE found.kind IN ('network', 'small_messages', 'load_imbalance', 'serialisation') OR speeds.factor IS NOT NULL
),
savings AS (
    SELECT
        CAST(change AS BIGINT) AS rank,
        greatest(saved_seconds, 0) / $length AS severity
    FROM replay_savings(
        (SELECT * FROM given.plans.states),
        (SELECT * FROM given.plans.links),
        (SELECT * FROM changes)
    )
),
-- What is not replayed keeps its estimate.
replayed AS (
    SELECT
        found.rank AS estimated_rank,
        found.kind,
        found.title,
        least(coalesce(savings.severity, found.severity), 1) AS severity,
        found.seconds / found.severity AS all_seconds,
        found.container_id,
        found.container,
        found.start_time,
        found.end_time,
        found.involved,
        found.confidence,
        found.evidence,
        found.picture
    FROM found
    LEFT JOIN savings
        ON savings.rank = found.rank
)
SELECT
    CAST(row_number() OVER (ORDER BY severity DESC, estimated_rank) AS BIGINT) AS rank,
    kind,
    title,
    severity,
    severity * all_seconds AS seconds,
    container_id,
    container,
    start_time,
    end_time,
    involved,
    confidence,
    evidence,
    picture
FROM replayed
WHERE severity >= $least
