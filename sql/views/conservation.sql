-- Whether nothing is lost or counted twice: what must add up, and whether it does.
--
-- Every rule is checked part by part, and difference is the largest difference of a part. Sums of DOUBLE are not
-- exact, so that a rule holds when no part differs by more than a billionth of expected, or of 1 where expected
-- is smaller. A link that ends before it starts (clocks that differ) has no time to count in: it is in no slice, and
-- not expected in any. Costs about as much as all functions of slices together.
--
-- Columns:
--   rule        TEXT     What is checked.
--   type        TEXT     Type of the states, variables, links or events.
--   parts       BIGINT   How many parts were compared.
--   expected    DOUBLE   What they must add up to: seconds, integral or events.
--   found       DOUBLE   What they do add up to.
--   difference  DOUBLE   The largest difference of a part.
--   holds       BOOLEAN  Whether no part differs by more than a billionth of expected, or of 1.
--
-- Example:
--   SELECT rule, type, parts, round(expected, 6) AS expected, holds
--   FROM conservation
--   ORDER BY rule, type

-- Every rule is checked part by part, so that two faults cannot cancel each other out:
--   slices of states      the seconds of 100 slices are those of state_segments; per container and value
--   slices of variables   the integrals of 100 slices are those of variables; per container
--   slices of links       the seconds of 100 slices are those of links that do not end before they start; per source
--   slices of events      the events of 100 slices are all events; per container and value
--   children and parent   the time of a container is its own and that of its children; per container
--   exclusive, inclusive  the times of the innermost states are those of the outermost; per container
WITH slices_of_states AS (
    SELECT 'slices of states' AS rule, type, container_id, value AS part, seconds AS found, 0 AS expected
    FROM state_slices(state_segments, slices => 100)
    UNION ALL
    SELECT 'slices of states' AS rule, type, container_id, value AS part, 0 AS found, duration AS expected
    FROM state_segments
),
slices_of_variables AS (
    SELECT 'slices of variables' AS rule, type, container_id, '' AS part, integral AS found, 0 AS expected
    FROM variable_slices(variables, slices => 100)
    UNION ALL
    SELECT 'slices of variables' AS rule, type, container_id, '' AS part, 0 AS found, value * duration AS expected
    FROM variables
),
slices_of_links AS (
    SELECT 'slices of links' AS rule, type, container_id, '' AS part, seconds AS found, 0 AS expected
    FROM link_slices(links, slices => 100, boundary => 'clip')
    WHERE role = 'origin'
    UNION ALL
    SELECT 'slices of links' AS rule, type, source_id AS container_id, '' AS part, 0 AS found, duration AS expected
    FROM links
    WHERE end_tick >= start_tick
),
slices_of_events AS (
    SELECT 'slices of events' AS rule, type, container_id, value AS part, events AS found, 0 AS expected
    FROM event_slices(events, slices => 100)
    UNION ALL
    SELECT 'slices of events' AS rule, type, container_id, value AS part, 0 AS found, 1 AS expected
    FROM events
),
own_times AS (
    SELECT container_id, type, sum(exclusive_seconds) AS seconds
    FROM flat_profile
    GROUP BY container_id, type
),
subtree_times AS (
    SELECT container_id, type, seconds
    FROM hierarchy_aggregate((SELECT container_id, type, seconds FROM own_times))
),
children_and_parents AS (
    SELECT 'children and parent' AS rule, type, container_id, '' AS part, 0 AS found, seconds AS expected
    FROM subtree_times
    UNION ALL
    SELECT 'children and parent' AS rule, type, container_id, '' AS part, seconds AS found, 0 AS expected
    FROM own_times
    UNION ALL
    SELECT
        'children and parent' AS rule,
        below.type,
        children.parent_id AS container_id,
        '' AS part,
        below.seconds AS found,
        0 AS expected
    FROM subtree_times AS below
    JOIN containers AS children
        ON children.container_id = below.container_id
    WHERE children.parent_id IS NOT NULL
),
exclusive_and_inclusive AS (
    SELECT 'exclusive, inclusive' AS rule, type, container_id, '' AS part, seconds AS found, 0 AS expected
    FROM own_times
    UNION ALL
    SELECT 'exclusive, inclusive' AS rule, type, container_id, '' AS part, 0 AS found, duration AS expected
    FROM states
    WHERE depth = 0
),
amounts AS (
    SELECT rule, type, container_id, part, found, expected FROM slices_of_states
    UNION ALL
    SELECT rule, type, container_id, part, found, expected FROM slices_of_variables
    UNION ALL
    SELECT rule, type, container_id, part, found, expected FROM slices_of_links
    UNION ALL
    SELECT rule, type, container_id, part, found, expected FROM slices_of_events
    UNION ALL
    SELECT rule, type, container_id, part, found, expected FROM children_and_parents
    UNION ALL
    SELECT rule, type, container_id, part, found, expected FROM exclusive_and_inclusive
),
parts AS (
    SELECT
        rule,
        type,
        container_id,
        part,
        sum(CAST(expected AS DOUBLE)) AS expected,
        sum(CAST(found AS DOUBLE)) AS found
    FROM amounts
    GROUP BY rule, type, container_id, part
)
SELECT
    rule,
    type,
    count(*) AS parts,
    sum(expected) AS expected,
    sum(found) AS found,
    max(abs(expected - found)) AS difference,
    max(abs(expected - found)) <= 1e-9 * greatest(abs(sum(expected)), 1) AS holds
FROM parts
GROUP BY rule, type
