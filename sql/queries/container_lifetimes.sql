-- How many containers of each type live through the whole trace, and how long they live at least.
SELECT
    type,
    count(*) AS containers,
    count(*) FILTER (WHERE share = 1) AS whole_trace,
    min(seconds) AS shortest,
    max(seconds) AS longest
FROM container_lifetimes
GROUP BY type
ORDER BY type
