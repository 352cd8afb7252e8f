-- Bytes sent in each second of wall-clock time.
--
-- Needs: links.
SELECT
    date_trunc('second', started_at) AS second,
    sum(volume) AS bytes
FROM dated_links
GROUP BY 1
ORDER BY 1
