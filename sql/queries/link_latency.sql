-- Types of links with a long tail: how many times the median the slowest twentieth takes.
--
-- Needs: links.
SELECT
    type,
    links,
    median_seconds,
    p95_seconds,
    p95_seconds / nullif(median_seconds, 0) AS tail,
    bandwidth
FROM link_latency
ORDER BY tail DESC, type
