-- Whether messages are many and small or few and large: links per size class, with a bar.
--
-- Needs: links.
SELECT
    type,
    from_volume,
    to_volume,
    links,
    volume,
    repeat('#', CAST(ceil(20.0 * links / max(links) OVER (PARTITION BY type)) AS BIGINT)) AS bar
FROM message_histogram
ORDER BY type, from_volume
