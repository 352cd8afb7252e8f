-- Statements that once gave other rows than DuckDB, or no rows, each made as small as it could be. `trace` names its sample;
-- `ordered`: in this order.

-- quickstart: a filter on a constant, above an aggregate without groups
SELECT a FROM (SELECT 1 AS a, max(depth) AS m FROM states) AS t WHERE a > 3;

-- quickstart: the same, of a text
SELECT a FROM (SELECT 'run' AS a, max(depth) AS m FROM states) AS t WHERE a LIKE 'x%';

-- quickstart: the same, of NULL
SELECT x FROM (SELECT 2 AS x, CAST(NULL AS BOOLEAN) AS p FROM (SELECT max(depth) AS m FROM states) AS s) AS q WHERE p;

-- quickstart: the same, above sets of groups
SELECT v, c FROM (SELECT depth AS v, 1 AS c FROM states GROUP BY ROLLUP (depth)) AS q WHERE c > 3;

-- quickstart: a filter on the side of an outer join that may be missing, whose column has the name of one of the other side
SELECT t2.value FROM states AS t1 RIGHT JOIN states AS t2 ON t1.container_id = t2.depth WHERE length(t2.value) > 0 AND coalesce(t1.value, 'none') <> 'none';

-- instants: the same, with a CASE
SELECT t2.container FROM states AS t1 RIGHT JOIN states AS t2 ON t1.container_id = t2.depth WHERE length(t2.container) > 0 AND CASE WHEN t1.container = 'k' THEN 'k' ELSE t1.container END <> 'x';

-- quickstart, ordered: sets of groups of one row, in an order
SELECT a, count(*) AS n FROM (SELECT count(*) AS a FROM variables) AS q GROUP BY ROLLUP (a) ORDER BY 1 DESC NULLS LAST;

-- quickstart, ordered: sets of groups of a constant, in an order
SELECT (is_leaf OR true) AS k, type, count(*) AS n FROM containers GROUP BY ROLLUP ((is_leaf OR true), type) ORDER BY 1 NULLS LAST, 2 NULLS FIRST, 3;

-- quickstart: groups of NULL
SELECT NULL AS k, count(*) AS n FROM states GROUP BY 1;

-- quickstart: groups of a CASE of which no branch can be taken
SELECT CASE WHEN false THEN depth END AS k FROM states GROUP BY 1;

-- mpi_calls: an aggregate whose filter is false, above an aggregate
SELECT max(a1) AS g0, count(DISTINCT false) FILTER (WHERE false) AS g1 FROM (SELECT min(time) AS a0, count(*) AS a1 FROM events) AS q WHERE a0 > 0;

-- quickstart: least and largest of what is not finite, in groups
SELECT k, CAST(min(x) AS VARCHAR) AS low, CAST(max(x) AS VARCHAR) AS high FROM (VALUES (1, CAST('inf' AS DOUBLE)), (2, CAST('-inf' AS DOUBLE))) AS t(k, x) GROUP BY k;

-- quickstart: zero with and without a sign, in a list
SELECT x IN (0.0, 1.0, 2.0, 3.0, 4.0) AS y FROM (SELECT CAST(-1 AS DOUBLE) * start_time AS x FROM states WHERE start_time = 0) AS t;

-- quickstart: ranks of zero with and without a sign
SELECT rank() OVER (ORDER BY x) AS r FROM (SELECT CAST(-1 AS DOUBLE) * start_time AS x FROM states WHERE start_time = 0 UNION ALL SELECT start_time FROM states WHERE start_time = 0) AS t;

-- quickstart: what is no number, of either sign
SELECT count(DISTINCT x + y) AS n FROM (VALUES (CAST('NaN' AS DOUBLE), CAST(1 AS DOUBLE)), (CAST('inf' AS DOUBLE), CAST('-inf' AS DOUBLE))) AS t(x, y);
