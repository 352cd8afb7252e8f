-- Queries beside those of all tables, all views and the cookbook. A comment names each; `ordered` in it: in this
-- order; `exact`: every bit of its numbers.

-- one row of every type, exact
SELECT
    true AS yes,
    arrow_cast(-128, 'Int8') AS tiny,
    arrow_cast(-32768, 'Int16') AS small,
    CAST(-2147483648 AS INT) AS whole,
    CAST(-9223372036854775808 AS BIGINT) AS big,
    arrow_cast(255, 'UInt8') AS tiny_unsigned,
    arrow_cast(65535, 'UInt16') AS small_unsigned,
    arrow_cast(4294967295, 'UInt32') AS whole_unsigned,
    arrow_cast('18446744073709551615', 'UInt64') AS big_unsigned,
    CAST(0.1 AS REAL) AS narrow,
    CAST(0.1 AS DOUBLE) AS wide,
    CAST('-12345.678' AS DECIMAL(12, 3)) AS exact,
    'text' AS words,
    arrow_cast('view', 'Utf8View') AS seen,
    arrow_cast('large', 'LargeUtf8') AS large,
    arrow_cast('dictionary', 'Dictionary(Int32, Utf8)') AS coded,
    arrow_cast('bytes', 'Binary') AS bytes,
    DATE '2024-02-29' AS day,
    arrow_cast('2024-02-29T12:34:56.789012', 'Timestamp(Microsecond, None)') AS moment,
    arrow_cast('2024-02-29T12:34:56.789Z', 'Timestamp(Millisecond, Some("UTC"))') AS instant,
    arrow_cast('12:34:56.789012', 'Time64(Microsecond)') AS clock;

-- no value of any type
SELECT
    CAST(NULL AS BOOLEAN) AS yes,
    CAST(NULL AS INT) AS whole,
    CAST(NULL AS BIGINT) AS big,
    CAST(NULL AS DOUBLE) AS wide,
    CAST(NULL AS DECIMAL(12, 3)) AS exact,
    CAST(NULL AS VARCHAR) AS words,
    arrow_cast(NULL, 'Binary') AS bytes,
    CAST(NULL AS DATE) AS day,
    CAST(NULL AS TIMESTAMP) AS moment,
    arrow_cast(NULL, 'Timestamp(Millisecond, Some("UTC"))') AS instant,
    arrow_cast(NULL, 'List(Int64)') AS list,
    NULL AS nothing;

-- numbers at their edges, ordered, exact
SELECT n, x
FROM (VALUES (1, 0.0), (2, -0.0), (3, 1e-300), (4, 1.7976931348623157e308), (5, 0.30000000000000004), (6, 123456789012345.67),
             (7, CAST('NaN' AS DOUBLE)), (8, CAST('inf' AS DOUBLE)), (9, CAST('-inf' AS DOUBLE)), (10, NULL)) AS t(n, x)
ORDER BY n;

-- text that needs care, ordered, exact
SELECT n, x
FROM (VALUES (1, ''), (2, NULL), (3, 'a,b'), (4, 'say "no"'), (5, E'two\nlines'), (6, E'a\ttab'), (7, E'back\\slash'),
             (8, 'naïve Ωmega 数据 🚀'), (9, 'NULL'), (10, '\N'), (11, ' spaces '), (12, '\.'), (13, '{a}'), (14, 'x''y')) AS t(n, x)
ORDER BY n;

-- lists, exact
SELECT
    make_array(1, 2, NULL) AS whole,
    make_array('a', 'b,c', 'say "no"', NULL, '') AS words,
    make_array(0.5, 1.5) AS wide,
    make_array(true, false) AS yes,
    arrow_cast(make_array(), 'List(Int64)') AS nothing;

-- structs, exact
SELECT named_struct('id', 1, 'name', 'a,b', 'nothing', CAST(NULL AS INT)) AS record;

-- lists of structs, exact
SELECT make_array(named_struct('id', 1, 'name', 'a'), named_struct('id', 2, 'name', 'b "c"')) AS records;

-- quoted names of columns
SELECT 1 AS "Upper Case", 2 AS "sélection", 3 AS "with ""quotes""";

-- columns without a name of their own
SELECT 1, 'a', 1 + 1 FROM states LIMIT 1;

-- nothing at all
SELECT * FROM states WHERE false;

-- nothing from a table function
SELECT * FROM state_slices(slices => 5) WHERE false;

-- no rows and no table
SELECT 1 AS one WHERE 1 = 0;

-- names beyond ASCII, exact
SELECT container, value, duration FROM unicode.states;

-- another trace than the current one, exact
SELECT * FROM ring.links;

-- fields that definitions declare, exact
SELECT * FROM extra_fields.states;

-- unsigned fields, exact
SELECT * FROM events.states;

-- all traces together
SELECT trace, container, value, count(*) AS n, sum(duration) AS seconds
FROM all_traces.states
GROUP BY trace, container, value;

-- many rows, ordered, exact
SELECT container_id, container, value, start_time, end_time, duration, depth
FROM big.states
ORDER BY start_tick, container_id, depth
LIMIT 50000;

-- many rows of a series, ordered, exact
SELECT value AS n, value % 7 = 0 AS sevens, CAST(value AS DOUBLE) / 3 AS third, 'row ' || value AS words
FROM range(0, 100000)
ORDER BY n;

-- a join up the tree
SELECT machine.name, s.value, sum(s.duration) AS seconds
FROM containers AS machine
JOIN containers AS rank ON rank.preorder BETWEEN machine.preorder AND machine.last_descendant
JOIN state_segments AS s ON s.container_id = rank.container_id
GROUP BY machine.name, s.value;

-- a window
SELECT container, start_time, row_number() OVER (PARTITION BY container_id ORDER BY start_tick, depth) AS n
FROM states;

-- a common table expression
WITH busy AS (SELECT container_id, sum(duration) AS seconds FROM states WHERE value = 'compute' GROUP BY container_id)
SELECT name, seconds FROM busy JOIN containers USING (container_id);

-- function: all that ours are
SELECT * FROM ocellus_functions();

-- function: summarize
SELECT * FROM summarize(states);

-- function: state_slices with a window
SELECT * FROM state_slices(slices => 7, start => 1.5, stop => 9);

-- function: state_slices over a query
SELECT * FROM state_slices((SELECT * FROM states WHERE depth = 0), slices => 3);

-- function: event_slices
SELECT * FROM event_slices(slices => 4);

-- function: link_slices
SELECT * FROM link_slices(slices => 4, boundary => 'clip');

-- function: variable_slices
SELECT * FROM variable_slices(slices => 4);

-- function: slice_totals
SELECT * FROM slice_totals();

-- function: events_at
SELECT * FROM events_at(time => 4.5);

-- function: inspect
SELECT * FROM inspect(container => 'rank-0', time => 4.5);

-- function: interval_join
SELECT * FROM interval_join((SELECT container_id, start_time, end_time, value FROM states),
                            (SELECT container_id, start_time, end_time, value AS other FROM state_segments));

-- function: overlap_seconds
SELECT * FROM overlap_seconds(states, states);

-- function: at_depth
SELECT * FROM at_depth(1);

-- function: subtree
SELECT * FROM subtree(1);

-- function: hierarchy_aggregate
SELECT * FROM hierarchy_aggregate((SELECT container_id, duration AS seconds FROM states));

-- function: call_paths
SELECT * FROM call_paths();

-- function: states_of_links
SELECT * FROM states_of_links();

-- function: concurrency
SELECT * FROM concurrency();

-- function: container_lanes
SELECT * FROM container_lanes();

-- function: timeline
SELECT * FROM timeline(width => 20);

-- function: microscopic_model
SELECT * FROM microscopic_model();

-- function: partition_areas
SELECT * FROM partition_areas();

-- function: partition_levels
SELECT * FROM partition_levels();

-- function: partition_visual
SELECT * FROM partition_visual();

-- function: spatial_partition
SELECT * FROM spatial_partition();

-- function: spatiotemporal_partition
SELECT * FROM spatiotemporal_partition();

-- function: temporal_partition
SELECT * FROM temporal_partition();

-- function: comm_graph
SELECT * FROM comm_graph();

-- function: graph_layout
SELECT * FROM graph_layout(links);

-- function: route_load
SELECT * FROM route_load();

-- function: scene
SELECT * FROM scene();

-- function: treemap
SELECT * FROM treemap(states, weight => 'duration', width => 800, height => 600);

-- function: comm_communities
SELECT * FROM comm_communities();

-- function: comm_curve
SELECT * FROM comm_curve(phases => 5);

-- function: comm_flows
SELECT * FROM comm_flows();

-- function: comm_in_flight
SELECT * FROM comm_in_flight();

-- function: comm_patterns
SELECT * FROM comm_patterns();

-- function: comm_phases
SELECT * FROM comm_phases();

-- function: community_tree
SELECT * FROM community_tree();

-- function: critical_path
SELECT * FROM critical_path();

-- function: phase_tree
SELECT * FROM phase_tree();

-- function: replay
SELECT * FROM replay(network => 'ideal');

-- function: replay_savings
SELECT * FROM replay_savings();

-- function: wait_states
SELECT * FROM wait_states();

-- function: run_diff
SELECT * FROM run_diff('quickstart', 'quickstart');

-- aggregates of ours that give lists
SELECT container, slice_seconds(start_time, end_time, 0, 9, 3) AS seconds
FROM states
WHERE value = 'compute'
GROUP BY container_id, container;

-- function: dated
SELECT * FROM dated((SELECT * FROM state_slices(slices => 2)));

-- function: findings
SELECT rank, kind, container_id, severity, seconds, start_time, end_time FROM findings(least_severity => 0);

-- function: explain_area
SELECT * FROM explain_area('rank-0', stop => 3);

-- function: pop_efficiency
SELECT * FROM pop_efficiency();

-- function: run_findings
SELECT * FROM run_findings('quickstart', 'quickstart');

-- function: difference_model
SELECT * FROM difference_model('quickstart', 'quickstart', slices => 4);

-- function: difference_partition
SELECT * FROM difference_partition('quickstart', 'quickstart', slices => 4);

-- function: difference_levels
SELECT * FROM difference_levels('quickstart', 'quickstart', slices => 4);
