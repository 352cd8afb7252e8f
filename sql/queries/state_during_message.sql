-- What senders do while their messages are in flight: seconds by state, and how many messages overlap it.
--
-- Needs: states and links.
SELECT
    value AS state,
    count(*) AS meetings,
    sum(overlap_end - overlap_start) AS seconds
FROM interval_join(state_segments, links, by => 'container_id = source_id')
GROUP BY value
ORDER BY seconds DESC, state
