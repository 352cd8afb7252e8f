-- How much goes from point to point, and how much in collective operations.
--
-- Needs: links.
SELECT
    kind,
    count(*) AS links,
    sum(volume) AS volume,
    sum(duration) AS seconds
FROM link_kinds
GROUP BY kind
ORDER BY kind
