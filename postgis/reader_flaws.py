"""The query for what is amiss with the reader.

Where there is no reader yet the rights of PUBLIC (role 0) are looked at, which it would have. All names in
the remedies are quoted by the server (format with %I and %L).
"""

from __future__ import annotations

import sqlalchemy as sa

__all__ = ["FLAWS"]

FLAWS = sa.text(
    r"""
    WITH reader AS (
      SELECT coalesce((SELECT oid FROM pg_roles WHERE rolname = :reader), 0::oid) AS oid, :reader AS name,
        current_database() AS base
    ), postgis AS (
      SELECT n.oid, n.nspname AS name FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
      WHERE e.extname = 'postgis'
    ), settings (name, value, spelled) AS (
      SELECT name, value, quote_literal(value)
      FROM unnest(CAST(:names AS text[]), CAST(:settings AS text[])) AS given (name, value)
      UNION ALL
      -- Without pg_temp at the end, temporary tables would be found before all others.
      SELECT 'search_path', format('pg_catalog, %I, pg_temp', name), format('pg_catalog, %I, pg_temp', name)
      FROM postgis
    ), datasets AS (
      SELECT n.oid, n.nspname AS name FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
      WHERE starts_with(n.nspname, 'gf_') AND c.relname = 'dataset' AND c.relkind = 'r'
    ), risky AS (
      SELECT p.oid, format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS
        name, CASE
          WHEN e.extname IN ('dblink', 'http', 'pg_net') THEN 'may have the server reach other servers'
          WHEN e.extname = 'adminpack' OR p.proname ~ '^pg_(read|ls|file)_|^pg_stat_file$'
            THEN 'may use files of the server'
          WHEN p.proname ~ '^lo_|^loread$|^lowrite$'
            THEN 'may make and change large objects, in read-only transactions too'
          ELSE 'may write into the log of changes' END AS what
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        LEFT JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
          AND d.refclassid = 'pg_extension'::regclass
        LEFT JOIN pg_extension e ON e.oid = d.refobjid
      WHERE e.extname IN ('dblink', 'http', 'pg_net', 'adminpack') OR n.nspname = 'pg_catalog' AND p.proname
        ~ '^lo_|^loread$|^lowrite$|^pg_(read|ls|file)_|^pg_stat_file$|^pg_logical_emit_message$'
    ), flaws (step, what, remedies, everyone) AS (
      SELECT 1, 'does not exist', ARRAY[format('CREATE ROLE %I LOGIN', reader.name)], false
      FROM reader WHERE reader.oid = 0
      UNION ALL
      SELECT 2, 'may do what only administrators should', ARRAY[format(
        'ALTER ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', reader.name)], false
      FROM reader JOIN pg_roles r ON r.oid = reader.oid
      WHERE rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls
      UNION ALL
      SELECT 2, 'is a member of ' || r.rolname, ARRAY[format('REVOKE %I FROM %I', r.rolname, reader.name)],
        false
      FROM reader JOIN pg_auth_members m ON m.member = reader.oid JOIN pg_roles r ON r.oid = m.roleid
      UNION ALL
      SELECT 2, 'owns objects of the database, which it may change', ARRAY[]::text[], false
      FROM reader WHERE EXISTS (
        SELECT FROM pg_shdepend s WHERE s.refclassid = 'pg_authid'::regclass AND s.refobjid = reader.oid
          AND s.deptype = 'o')
      UNION ALL
      SELECT 3, 'has other settings than it should: ' || string_agg(s.name, ', ' ORDER BY s.name), array_agg(
        format('ALTER ROLE %I IN DATABASE %I SET %I = %s', reader.name, base, s.name, s.spelled)
        ORDER BY s.name), false
      FROM reader, settings s WHERE NOT EXISTS (
        SELECT FROM pg_db_role_setting g JOIN pg_database d ON d.oid = g.setdatabase
        WHERE g.setrole = reader.oid AND reader.oid <> 0 AND d.datname = base
          AND s.name || '=' || s.value = ANY(g.setconfig))
      HAVING count(*) > 0
      UNION ALL
      SELECT 4, 'may not connect to the database',
        ARRAY[format('GRANT CONNECT ON DATABASE %I TO %I', base, name)], false
      FROM reader WHERE NOT has_database_privilege(reader.oid, base, 'CONNECT')
      UNION ALL
      SELECT 4, 'may not use the functions of PostGIS',
        ARRAY[format('GRANT USAGE ON SCHEMA %I TO %I', postgis.name, reader.name)], false
      FROM reader, postgis WHERE NOT has_schema_privilege(reader.oid, postgis.oid, 'USAGE')
      UNION ALL
      SELECT 5, format('may not read the dataset %s', substr(d.name, 4)), ARRAY[
        format('GRANT USAGE ON SCHEMA %I TO %I', d.name, reader.name),
        format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO %I', d.name, reader.name)], false
      FROM reader, datasets d
      WHERE NOT has_schema_privilege(reader.oid, d.oid, 'USAGE') OR EXISTS (
        SELECT FROM pg_class c WHERE c.relnamespace = d.oid AND c.relkind = 'r'
          AND NOT has_table_privilege(reader.oid, c.oid, 'SELECT'))
      UNION ALL
      SELECT 6, 'cannot be taken on by ' || session_user,
        ARRAY[format('GRANT %I TO %I', reader.name, session_user)], false
      FROM reader WHERE reader.oid = 0 AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)
        OR reader.oid <> 0 AND NOT pg_has_role(session_user, reader.oid,
          CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
      UNION ALL
      SELECT 7, CASE what WHEN 'CREATE' THEN 'may make schemas' ELSE 'may make temporary tables' END,
        ARRAY[format('REVOKE %s ON DATABASE %I FROM PUBLIC, %I', what, base, reader.name)],
        has_database_privilege(0::oid, base, what)
      FROM reader, unnest(ARRAY['CREATE', 'TEMPORARY']) what
      WHERE has_database_privilege(reader.oid, base, what)
      UNION ALL
      SELECT 7, 'may make tables in the schema ' || n.nspname,
        ARRAY[format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', n.nspname, reader.name)],
        has_schema_privilege(0::oid, n.oid, 'CREATE')
      FROM reader, pg_namespace n
      WHERE n.nspname !~ '^pg_' AND has_schema_privilege(reader.oid, n.oid, 'CREATE')
      UNION ALL
      SELECT 8, format('may change the table %I.%I', n.nspname, c.relname), ARRAY[format(
        'REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON %I.%I FROM PUBLIC, %I', n.nspname,
        c.relname, reader.name)], has_table_privilege(0::oid, c.oid, rights)
          OR has_any_column_privilege(0::oid, c.oid, 'INSERT, UPDATE, REFERENCES')
      FROM reader, (VALUES ('INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')) AS t (rights),
        pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_|^information_schema$'
        AND (has_table_privilege(reader.oid, c.oid, rights)
          OR has_any_column_privilege(reader.oid, c.oid, 'INSERT, UPDATE, REFERENCES'))
      UNION ALL
      SELECT 8, format('may change the sequence %I.%I', n.nspname, c.relname),
        ARRAY[format('REVOKE USAGE, UPDATE ON SEQUENCE %I.%I FROM PUBLIC, %I', n.nspname, c.relname,
          reader.name)], has_sequence_privilege(0::oid, c.oid, 'USAGE, UPDATE')
      FROM reader, pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'S' AND has_sequence_privilege(reader.oid, c.oid, 'USAGE, UPDATE')
      UNION ALL
      SELECT 8, 'may reach the foreign server ' || s.srvname,
        ARRAY[format('REVOKE USAGE ON FOREIGN SERVER %I FROM PUBLIC, %I', s.srvname, reader.name)],
        has_server_privilege(0::oid, s.oid, 'USAGE')
      FROM reader, pg_foreign_server s WHERE has_server_privilege(reader.oid, s.oid, 'USAGE')
      UNION ALL
      SELECT 9, what, ARRAY[format('REVOKE EXECUTE ON ROUTINE %s FROM PUBLIC, %I',
          string_agg(risky.name, ', ' ORDER BY risky.name COLLATE "C"), reader.name)],
        bool_or(has_function_privilege(0::oid, risky.oid, 'EXECUTE'))
      FROM reader, risky WHERE has_function_privilege(reader.oid, risky.oid, 'EXECUTE')
      GROUP BY what, reader.name
    )
    SELECT what, remedies, everyone FROM flaws ORDER BY step, remedies::text COLLATE "C"
    """
)
