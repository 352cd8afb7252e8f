WITH chosen AS (
    SELECT container_id
    FROM given.plans.chosen
),
near AS (
    SELECT container_id, type, value, seconds
    FROM state_slices(state_segments, slices => 1, start => $start, stop => $stop)
),
everywhere AS (
    SELECT container_id, type, value, seconds
    FROM state_slices(state_segments, slices => 1)
),
-- Seconds that containers with states of a type could be in them.
carriers AS (
    SELECT
        parts.type,
        sum(CASE WHEN chosen.container_id IS NULL THEN 0.0 ELSE $length END) AS seconds_inside,
        sum(CASE WHEN chosen.container_id IS NULL THEN $whole ELSE $whole - $length END) AS seconds_outside
    FROM (SELECT DISTINCT container_id, type FROM everywhere) AS parts
    LEFT JOIN chosen
        ON chosen.container_id = parts.container_id
    GROUP BY parts.type
),
value_sums AS (
    SELECT type, value, sum(inside) AS inside, sum(total) - sum(inside) AS outside
    FROM (
        SELECT near.type, near.value, near.seconds AS inside, 0.0 AS total
        FROM near
        JOIN chosen
            ON chosen.container_id = near.container_id
        UNION ALL
        SELECT type, value, 0.0, seconds
        FROM everywhere
    )
    GROUP BY type, value
),
values_of_area AS (
    SELECT
        'value' AS kind,
        sums.type,
        sums.value AS name,
        CAST(NULL AS TEXT) AS detail,
        'share' AS measure,
        sums.inside / nullif(carriers.seconds_inside, 0) AS inside,
        sums.outside / nullif(carriers.seconds_outside, 0) AS outside,
        CAST(NULL AS DOUBLE) AS other_effect,
        sums.inside AS inside_amount,
        sums.outside AS outside_amount
    FROM value_sums AS sums
    JOIN carriers
        ON carriers.type = sums.type
),
children AS (
    SELECT children.container_id AS child_id, children.path, below.container_id
    FROM containers AS children
    JOIN given.plans.roots AS roots
        ON roots.$root_id = children.parent_id
    JOIN container_ancestors AS below
        ON below.ancestor_id = children.container_id
),
child_carriers AS (
    SELECT children.child_id, children.path, parts.type, count(*) * $length AS seconds
    FROM children
    JOIN (SELECT DISTINCT container_id, type FROM everywhere) AS parts
        ON parts.container_id = children.container_id
    GROUP BY children.child_id, children.path, parts.type
),
child_sums AS (
    SELECT children.child_id, near.type, near.value, sum(near.seconds) AS seconds
    FROM near
    JOIN children
        ON children.container_id = near.container_id
    GROUP BY children.child_id, near.type, near.value
),
child_shares AS (
    SELECT
        child_carriers.child_id,
        child_carriers.path,
        rest.type,
        rest.name AS value,
        coalesce(child_sums.seconds, 0) / child_carriers.seconds AS inside,
        rest.outside,
        coalesce(child_sums.seconds, 0) AS inside_amount,
        rest.outside_amount
    FROM child_carriers
    JOIN values_of_area AS rest
        ON rest.type = child_carriers.type
    LEFT JOIN child_sums
        ON child_sums.child_id = child_carriers.child_id
        AND child_sums.type = rest.type
        AND child_sums.value = rest.name
),
child_ranks AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY child_id
            ORDER BY size DESC, type, value
        ) AS place
    FROM (
        SELECT
            *,
            round(abs(asin(sqrt(greatest(least(inside, 1), 0))) - asin(sqrt(greatest(least(outside, 1), 0)))), 12) AS size
        FROM child_shares
        WHERE outside IS NOT NULL
    )
),
ends AS (
    SELECT
        parts.*,
        chosen.container_id IS NOT NULL AND parts.start_time >= $start AND parts.start_time < $stop AS is_inside,
        chosen.container_id IS NOT NULL AS is_chosen
    FROM (
        SELECT
            source_id AS container_id,
            target_id AS partner_id,
            source_id AS from_id,
            target_id AS to_id,
            type,
            volume,
            start_time,
            duration
        FROM links
        UNION ALL
        SELECT
            target_id AS container_id,
            source_id AS partner_id,
            source_id AS from_id,
            target_id AS to_id,
            type,
            volume,
            start_time,
            duration
        FROM links
    ) AS parts
    LEFT JOIN chosen
        ON chosen.container_id = parts.container_id
),
end_totals AS (
    SELECT
        nullif(count(*) FILTER (WHERE is_inside), 0) AS ends_inside,
        nullif(count(*) FILTER (WHERE NOT is_inside), 0) AS ends_outside
    FROM ends
),
partners AS (
    SELECT
        partner_id,
        count(*) FILTER (WHERE is_inside) AS inside,
        count(*) FILTER (WHERE NOT is_inside) AS outside
    FROM ends
    GROUP BY partner_id
),
routes AS (
    SELECT
        from_id,
        to_id,
        count(*) FILTER (WHERE is_inside) AS inside,
        count(*) FILTER (WHERE NOT is_inside) AS outside
    FROM ends
    GROUP BY from_id, to_id
),
-- Rates: what there is inside and outside, and how many seconds containers that have any could have it.
link_rates AS (
    SELECT
        type,
        CAST(count(*) FILTER (WHERE is_inside) AS DOUBLE) AS messages_inside,
        CAST(count(*) FILTER (WHERE NOT is_inside) AS DOUBLE) AS messages_outside,
        coalesce(sum(volume) FILTER (WHERE is_inside), 0) AS volume_inside,
        coalesce(sum(volume) FILTER (WHERE NOT is_inside), 0) AS volume_outside,
        count(DISTINCT CASE WHEN is_chosen THEN container_id END) * $length AS seconds_inside,
        count(DISTINCT container_id) * $whole - count(DISTINCT CASE WHEN is_chosen THEN container_id END) * $length
            AS seconds_outside,
        avg(duration) FILTER (WHERE is_inside) AS flight_inside,
        avg(duration) FILTER (WHERE NOT is_inside) AS flight_outside,
        coalesce(var_pop(duration) FILTER (WHERE is_inside), 0) * count(*) FILTER (WHERE is_inside)
            + coalesce(var_pop(duration) FILTER (WHERE NOT is_inside), 0) * count(*) FILTER (WHERE NOT is_inside)
            AS flight_deviations,
        count(*) AS messages
    FROM ends
    GROUP BY type
),
event_rates AS (
    SELECT
        events.type,
        events.value,
        CAST(count(*) FILTER (WHERE chosen.container_id IS NOT NULL AND events.time >= $start AND events.time < $stop) AS DOUBLE)
            AS events_inside,
        CAST(count(*) AS DOUBLE) AS total,
        count(DISTINCT chosen.container_id) * $length AS seconds_inside,
        count(DISTINCT events.container_id) * $whole AS seconds
    FROM events
    LEFT JOIN chosen
        ON chosen.container_id = events.container_id
    GROUP BY events.type, events.value
),
variable_times AS (
    SELECT
        variables.type,
        variables.value,
        CASE WHEN chosen.container_id IS NULL THEN 0.0
             ELSE greatest(least(variables.end_time, $stop) - greatest(variables.start_time, $start), 0.0) END AS inside,
        variables.duration
    FROM variables
    LEFT JOIN chosen
        ON chosen.container_id = variables.container_id
),
state_times AS (
    SELECT
        parts.*,
        parts.duration - parts.inside AS outside
    FROM (
        SELECT
            states.*,
            CASE WHEN chosen.container_id IS NULL THEN 0.0
                 ELSE greatest(least(states.end_time, $stop) - greatest(states.start_time, $start), 0.0) END AS inside
        FROM state_segments AS states
        LEFT JOIN chosen
            ON chosen.container_id = states.container_id
    ) AS parts
),
field_times AS (
    SELECT
        get_field(cell, 'field') AS field,
        get_field(cell, 'content') AS content,
        get_field(cell, 'number') AS number,
        inside,
        outside
    FROM (SELECT unnest(make_array($fields)) AS cell, inside, outside FROM state_times) AS cells
),
field_sums AS (
    SELECT field, content, sum(inside) AS inside, sum(outside) AS outside
    FROM field_times
    WHERE content IS NOT NULL
    GROUP BY field, content
),
-- Numbers over time: of variables by type, of fields by name.
weighted AS (
    SELECT 'variable' AS kind, type, value, inside AS near_seconds, duration - inside AS far_seconds
    FROM variable_times
    UNION ALL
    SELECT 'field', field, number, inside, outside
    FROM field_times
    WHERE number IS NOT NULL
),
means AS (
    SELECT
        kind,
        type,
        nullif(sum(near_seconds), 0) AS inside_amount,
        nullif(sum(far_seconds), 0) AS outside_amount,
        sum(near_seconds * value) / nullif(sum(near_seconds), 0) AS inside,
        sum(far_seconds * value) / nullif(sum(far_seconds), 0) AS outside
    FROM weighted
    GROUP BY kind, type
),
deviations AS (
    SELECT
        means.kind,
        means.type,
        sqrt(
            sum(
                weighted.near_seconds * power(weighted.value - means.inside, 2)
                + weighted.far_seconds * power(weighted.value - means.outside, 2)
            ) / nullif(min(means.inside_amount) + min(means.outside_amount), 0)
        ) AS deviation
    FROM means
    JOIN weighted
        ON weighted.kind = means.kind
        AND weighted.type = means.type
    GROUP BY means.kind, means.type
),
compared AS (
    SELECT
        kind,
        type,
        name,
        detail,
        measure,
        inside,
        outside,
        other_effect,
        inside_amount,
        outside_amount
    FROM values_of_area
    UNION ALL
    SELECT
        'subtree' AS kind,
        type,
        path AS name,
        value AS detail,
        'share' AS measure,
        inside,
        outside,
        CAST(NULL AS DOUBLE) AS other_effect,
        inside_amount,
        outside_amount
    FROM child_ranks
    WHERE place = 1
    UNION ALL
    SELECT
        'partner' AS kind,
        CAST(NULL AS TEXT) AS type,
        containers.path AS name,
        CAST(NULL AS TEXT) AS detail,
        'share' AS measure,
        partners.inside / CAST(end_totals.ends_inside AS DOUBLE) AS inside,
        partners.outside / CAST(end_totals.ends_outside AS DOUBLE) AS outside,
        CAST(NULL AS DOUBLE) AS other_effect,
        CAST(partners.inside AS DOUBLE) AS inside_amount,
        CAST(partners.outside AS DOUBLE) AS outside_amount
    FROM partners
    CROSS JOIN end_totals
    JOIN containers
        ON containers.container_id = partners.partner_id
    UNION ALL
    SELECT
        'route' AS kind,
        CAST(NULL AS TEXT) AS type,
        concat(sources.path, ' → ', targets.path) AS name,
        CAST(NULL AS TEXT) AS detail,
        'share' AS measure,
        routes.inside / CAST(end_totals.ends_inside AS DOUBLE) AS inside,
        routes.outside / CAST(end_totals.ends_outside AS DOUBLE) AS outside,
        CAST(NULL AS DOUBLE) AS other_effect,
        CAST(routes.inside AS DOUBLE) AS inside_amount,
        CAST(routes.outside AS DOUBLE) AS outside_amount
    FROM routes
    CROSS JOIN end_totals
    JOIN containers AS sources
        ON sources.container_id = routes.from_id
    JOIN containers AS targets
        ON targets.container_id = routes.to_id
    UNION ALL
    SELECT
        'messages' AS kind,
        type,
        CAST(NULL AS TEXT) AS name,
        CAST(NULL AS TEXT) AS detail,
        'rate' AS measure,
        messages_inside / nullif(seconds_inside, 0) AS inside,
        messages_outside / nullif(seconds_outside, 0) AS outside,
        2 * asin(sqrt(messages_inside / (messages_inside + messages_outside)))
            - 2 * asin(sqrt(seconds_inside / (seconds_inside + seconds_outside))) AS other_effect,
        messages_inside AS inside_amount,
        messages_outside AS outside_amount
    FROM link_rates
    UNION ALL
    SELECT
        'volume' AS kind,
        type,
        CAST(NULL AS TEXT) AS name,
        CAST(NULL AS TEXT) AS detail,
        'rate' AS measure,
        volume_inside / nullif(seconds_inside, 0) AS inside,
        volume_outside / nullif(seconds_outside, 0) AS outside,
        2 * asin(sqrt(volume_inside / nullif(volume_inside + volume_outside, 0)))
            - 2 * asin(sqrt(seconds_inside / (seconds_inside + seconds_outside))) AS other_effect,
        volume_inside AS inside_amount,
        volume_outside AS outside_amount
    FROM link_rates
    UNION ALL
    SELECT
        'flight' AS kind,
        type,
        CAST(NULL AS TEXT) AS name,
        CAST(NULL AS TEXT) AS detail,
        'mean' AS measure,
        flight_inside AS inside,
        flight_outside AS outside,
        (flight_inside - flight_outside) / nullif(sqrt(flight_deviations / messages), 0) AS other_effect,
        messages_inside AS inside_amount,
        messages_outside AS outside_amount
    FROM link_rates
    UNION ALL
    SELECT
        'event' AS kind,
        type,
        value AS name,
        CAST(NULL AS TEXT) AS detail,
        'rate' AS measure,
        events_inside / nullif(seconds_inside, 0) AS inside,
        (total - events_inside) / nullif(seconds - seconds_inside, 0) AS outside,
        2 * asin(sqrt(events_inside / total)) - 2 * asin(sqrt(seconds_inside / seconds)) AS other_effect,
        events_inside AS inside_amount,
        total - events_inside AS outside_amount
    FROM event_rates
    UNION ALL
    SELECT
        means.kind AS kind,
        means.type AS type,
        CAST(NULL AS TEXT) AS name,
        CAST(NULL AS TEXT) AS detail,
        'mean' AS measure,
        means.inside AS inside,
        means.outside AS outside,
        (means.inside - means.outside) / nullif(deviations.deviation, 0) AS other_effect,
        means.inside_amount AS inside_amount,
        means.outside_amount AS outside_amount
    FROM means
    JOIN deviations
        ON deviations.kind = means.kind
        AND deviations.type = means.type
    UNION ALL
    SELECT
        'field' AS kind,
        sums.field AS type,
        sums.content AS name,
        CAST(NULL AS TEXT) AS detail,
        'share' AS measure,
        sums.inside / nullif(totals.all_inside, 0) AS inside,
        sums.outside / nullif(totals.all_outside, 0) AS outside,
        CAST(NULL AS DOUBLE) AS other_effect,
        sums.inside AS inside_amount,
        sums.outside AS outside_amount
    FROM field_sums AS sums
    JOIN (
        SELECT field, sum(inside) AS all_inside, sum(outside) AS all_outside
        FROM field_sums
        GROUP BY field
    ) AS totals
        ON totals.field = sums.field
),
effects AS (
    SELECT
        kind,
        type,
        name,
        detail,
        measure,
        inside,
        outside,
        CASE WHEN measure = 'share'
             THEN 2 * asin(sqrt(greatest(least(inside, 1), 0))) - 2 * asin(sqrt(greatest(least(outside, 1), 0)))
             ELSE other_effect END AS effect,
        inside_amount,
        outside_amount
    FROM compared
    WHERE inside IS NOT NULL
        AND outside IS NOT NULL
),
sized AS (
    SELECT *, round(abs(effect), 9) AS size
    FROM effects
    WHERE abs(effect) >= $least
        AND abs(effect) > 1e-9
)
SELECT
    CAST(row_number() OVER (ORDER BY size DESC, kind, type, name) AS BIGINT) AS rank,
    kind,
    type,
    name,
    detail,
    measure,
    inside,
    outside,
    effect,
    inside_amount,
    outside_amount
FROM sized
