-- Who waits longest for each of its messages.
--
-- Needs: states and links.
SELECT
    container,
    blocked_seconds,
    sent_links + received_links AS links,
    seconds_per_link
FROM blocked_per_link
ORDER BY seconds_per_link DESC, container
LIMIT 10
