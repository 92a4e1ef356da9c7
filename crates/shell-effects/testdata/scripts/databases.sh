#: fails
createdb -h "$PGHOST" app
#: safe
psql -tAc "SELECT 1 FROM pg_database WHERE datname='app'" | grep -q 1 || createdb app
#: safe hidden
createdb app || true
#: safe hidden
set -e
createdb app || echo "database exists"
createuser app 2>/dev/null || true
#: fails
set -e
createuser --login app
createdb -O app app
#: fails
psql -h db -U postgres -c "CREATE DATABASE keycloak"
#: fails
set -euo pipefail
psql -v ON_ERROR_STOP=1 <<SQL
CREATE USER "$APP_USER" WITH PASSWORD '$APP_PASSWORD';
GRANT ALL ON DATABASE app TO "$APP_USER";
SQL
#: safe hidden
set -e
psql <<SQL
CREATE USER app WITH PASSWORD 'x';
SQL
#: safe
set -e
psql -v ON_ERROR_STOP=1 <<'SQL'
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'app') THEN
    CREATE ROLE app LOGIN;
  END IF;
END
$$;
GRANT CONNECT ON DATABASE app TO app;
SQL
#: safe
psql -v ON_ERROR_STOP=1 <<'SQL'
SELECT 'CREATE DATABASE app' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'app')\gexec
SQL
#: safe
echo "SELECT 'CREATE DATABASE app' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'app')\gexec" | psql -v ON_ERROR_STOP=1
#: fails
set -e
echo "CREATE DATABASE app;" | psql -v ON_ERROR_STOP=1 -h db
#: safe
set -e
psql -c 'CREATE EXTENSION IF NOT EXISTS pg_trgm'
psql -c 'CREATE SCHEMA IF NOT EXISTS app AUTHORIZATION app'
#: fails
psql -c 'CREATE EXTENSION pg_trgm'
#: fails
psql -c "CREATE TABLE accounts (id serial primary key, name text)"
#: safe
psql --command="CREATE TABLE IF NOT EXISTS accounts (id serial primary key)"
#: fails
psql -d app -c 'create unique index idx_name on accounts (name)'
#: safe
psql -d app -c 'create unique index concurrently if not exists idx_name on accounts (name)'
#: duplicates
psql -d app -c "INSERT INTO settings (key, value) VALUES ('a', 'b')"
#: safe
psql -d app -c "INSERT INTO settings (key, value) VALUES ('a', 'b') ON CONFLICT (key) DO NOTHING"
#: safe
psql -d app -c "INSERT INTO settings SELECT 'a', 'b' WHERE NOT EXISTS (SELECT 1 FROM settings WHERE key = 'a')"
#: safe
psql -d app -c "UPDATE users SET active = true WHERE id = 1"
#: safe
psql -c "ALTER USER app WITH PASSWORD '$PASSWORD'"
#: fails
psql -c "ALTER TABLE users ADD COLUMN email text"
#: safe
psql -c "ALTER TABLE users ADD COLUMN IF NOT EXISTS email text"
#: fails
psql -c "ALTER TABLE users RENAME COLUMN mail TO email"
#: destroys
psql -c "DROP DATABASE IF EXISTS app"
#: destroys
set -e
psql -c "DROP TABLE IF EXISTS report"
psql -c "CREATE TABLE report AS SELECT * FROM sales"
#: safe
psql -c "DROP TABLE IF EXISTS tmp_import"
#: fails
psql -c "DROP TABLE tmp_import"
#: fails
psql -c "DROP ROLE legacy"
#: safe
psql -c "DROP ROLE IF EXISTS legacy"
#: destroys
psql -c "TRUNCATE TABLE sessions"
#: safe
set -e
psql -v ON_ERROR_STOP=1 -1 <<'SQL'
BEGIN;
TRUNCATE TABLE currencies;
INSERT INTO currencies (code) VALUES ('EUR'), ('USD');
COMMIT;
SQL
#: safe
psql -c "DELETE FROM sessions WHERE expires < now()"
#: safe
psql -c "GRANT ALL PRIVILEGES ON DATABASE app TO app"
#: duplicates
psql app -c "\copy accounts FROM '/import/accounts.csv' CSV"
#: unknown
psql -v ON_ERROR_STOP=1 -f /sql/init.sql
#: fails
set -e
cat > /tmp/init.sql <<SQL
CREATE DATABASE app;
SQL
psql -v ON_ERROR_STOP=1 -f /tmp/init.sql
#: safe hidden
cat > /tmp/init.sql <<SQL
CREATE ROLE app;
SQL
psql -f /tmp/init.sql
#: fails
pg_restore -d app /backup/app.dump
#: destroys
pg_restore --clean --if-exists -d app /backup/app.dump
#: safe
pg_dump app > /backup/app.sql
#: safe bash
set -eo pipefail
pg_dump app | gzip | aws s3 cp - "s3://backups/app-$(date +%F).sql.gz"
#: fails
mysql -h db -uroot -p"$MYSQL_ROOT_PASSWORD" -e "CREATE DATABASE app"
#: safe
mysql -h db -uroot -p"$MYSQL_ROOT_PASSWORD" -e "CREATE DATABASE IF NOT EXISTS app; CREATE USER IF NOT EXISTS 'app'@'%'; GRANT ALL ON app.* TO 'app'@'%'"
#: fails
mysql -e "CREATE DATABASE IF NOT EXISTS app; CREATE USER 'app'@'%' IDENTIFIED BY '$PW';"
#: fails
mysql -uroot <<EOF
CREATE DATABASE IF NOT EXISTS app;
CREATE TABLE app.t (id int);
EOF
#: safe
mysql -uroot <<EOF
CREATE DATABASE IF NOT EXISTS app;
GRANT ALL ON app.* TO 'app'@'%';
FLUSH PRIVILEGES;
EOF
#: duplicates
mysql app -e "INSERT INTO log (msg) VALUES ('deployed')"
#: safe
mysql app -e "INSERT IGNORE INTO roles (name) VALUES ('admin')"
#: safe
mysql app -e "REPLACE INTO roles (id, name) VALUES (1, 'admin')"
#: safe
mysql app -e "INSERT INTO roles (id) VALUES (1) ON DUPLICATE KEY UPDATE id = 1"
#: fails
mysqladmin -uroot create app
#: safe waits
until mysqladmin ping -h db --silent; do sleep 1; done
mysql -h db -e 'CREATE DATABASE IF NOT EXISTS app'
#: destroys
mysql -e "DROP DATABASE app; CREATE DATABASE app"
#: unknown
mysql app < /import/dump.sql
#: fails
mongosh "$MONGO_URL" --eval 'db.createUser({user: "app", pwd: "x", roles: []})'
#: safe
mongosh "$MONGO_URL" --eval 'db.getUser("app") || db.createUser({user: "app", pwd: "x", roles: []})'
#: duplicates
mongosh "$MONGO_URL" --quiet --eval 'db.settings.insertOne({a: 1})'
#: safe
mongosh "$MONGO_URL" --quiet --eval 'db.settings.updateOne({_id: 1}, {$set: {a: 1}}, {upsert: true})'
#: fails
mongo --host mongo-0.mongo --eval 'rs.initiate({_id: "rs0", members: [{_id: 0, host: "mongo-0.mongo:27017"}]})'
#: safe
mongosh --host mongo-0 --eval 'try { rs.status() } catch (e) { rs.initiate() }'
#: destroys
mongosh app --eval 'db.dropDatabase()'
#: safe
mongorestore --uri "$MONGO_URL" /dump
#: destroys
mongorestore --drop --uri "$MONGO_URL" /dump
#: duplicates
mongoimport --uri "$MONGO_URL" --collection users --file /data/users.json
#: safe
mongoimport --uri "$MONGO_URL" --collection users --file /data/users.json --mode=upsert
#: safe
mongodump --archive=/backup/dump.gz --gzip
#: fails
sqlcmd -b -S mssql -U sa -P "$SA_PASSWORD" -Q "CREATE DATABASE app"
#: safe
sqlcmd -b -S mssql -U sa -P "$SA_PASSWORD" -Q "IF NOT EXISTS (SELECT * FROM sys.databases WHERE name = 'app') CREATE DATABASE app"
#: safe hidden
sqlcmd -S mssql -U sa -P "$SA_PASSWORD" -Q "CREATE DATABASE app"
#: fails
cqlsh cassandra -e "CREATE KEYSPACE app WITH replication = {'class': 'SimpleStrategy'}"
#: safe
cqlsh cassandra -e "CREATE KEYSPACE IF NOT EXISTS app WITH replication = {'class': 'SimpleStrategy'}"
#: safe
clickhouse-client --host ch --query "CREATE TABLE IF NOT EXISTS t (a Int32) ENGINE = Memory"
#: fails
clickhouse-client --host ch --query "CREATE TABLE t (a Int32) ENGINE = Memory"
#: fails
cockroach sql --insecure --host=db -e "CREATE TABLE t (id INT)"
#: safe
cockroach sql --insecure --host=db -e "CREATE DATABASE IF NOT EXISTS app; CREATE USER IF NOT EXISTS app"
#: fails
cockroach init --insecure --host=cockroachdb-0
#: destroys hidden
redis-cli -h redis FLUSHALL
#: safe hidden
redis-cli -h redis set feature on
#: fails
sh -c "psql -c \"CREATE DATABASE app\""
#: safe bash
set -e
if ! psql -lqt | cut -d '|' -f 1 | grep -qw app; then
  psql -c "CREATE DATABASE app"
fi
#: safe
EXISTS=$(psql -tAc "SELECT 1 FROM pg_roles WHERE rolname='app'")
if [ "$EXISTS" != "1" ]; then
  psql -c "CREATE ROLE app"
fi
#: fails
if [ -n "$CREATE_DB" ]; then
  psql -c "CREATE DATABASE app"
fi
#: fails
set -e
[ "$INIT" = "true" ] && createdb app
#: safe
if [ "$(psql -tAc "select count(*) from information_schema.tables where table_name='users'")" = "0" ]; then
  psql -c "CREATE TABLE users (id int)"
fi
#: fails waits
until pg_isready -h db; do echo waiting; sleep 2; done
createdb -h db app
#: fails
pg_isready -h db && createdb -h db app
#: safe
for db in alpha beta; do
  psql -tc "SELECT 1 FROM pg_database WHERE datname = '$db'" | grep -q 1 || psql -c "CREATE DATABASE $db" || exit 1
done
#: fails
set -e
for db in alpha beta; do
  psql -c "CREATE DATABASE $db"
done
#: safe
case "$(psql -tAc "select exists(select 1 from pg_database where datname='app')")" in
  t) echo exists ;;
  *) createdb app ;;
esac
#: fails
case "$ENGINE" in
  postgres) createdb app ;;
  mysql) mysqladmin create app ;;
esac
#: fails
set -e
create_db() {
  psql -c "CREATE DATABASE $1"
}
create_db app
create_db audit
#: safe
set -e
db_exists() { psql -tAc "SELECT 1 FROM pg_database WHERE datname='$1'" | grep -q 1; }
if ! db_exists app; then createdb app; fi
#: safe
exists() { psql -tAc "SELECT 1 FROM pg_database WHERE datname='app'" | grep -q 1; }
if exists; then
  echo "nothing to do"
  exit 0
fi
createdb app
#: safe
psql -tAc "SELECT 1 FROM done" && exit 0
createdb app
#: fails
set -e
PSQL="psql -h db -U postgres"
$PSQL -c "CREATE ROLE app"
#: safe
set -e
dropdb_unused() { dropdb app; }
psql -c "SELECT 1"
#: destroys
set -e
dropdb --if-exists app
createdb app
#: safe
influx -execute 'CREATE DATABASE metrics'
#: fails
sqlite3 /data/app.db "CREATE TABLE t (id integer)"
#: safe
sqlite3 /data/app.db "CREATE TABLE IF NOT EXISTS t (id integer)"
#: safe
psql -c "VACUUM ANALYZE"
#: safe
psql -c "REFRESH MATERIALIZED VIEW CONCURRENTLY stats"
#: duplicates
psql <<SQL
\set ON_ERROR_STOP on
INSERT INTO audit (at) VALUES (now());
SQL
#: safe
psql -c "CREATE OR REPLACE VIEW v AS SELECT 1"
#: fails
psql -c "CREATE VIEW v AS SELECT 1"
#: fails
psql -c "CREATE PUBLICATION pub FOR ALL TABLES"
#: fails
PGPASSWORD=$ADMIN psql -h db -U postgres -v ON_ERROR_STOP=1 <<-EOSQL
	CREATE USER zitadel;
	CREATE DATABASE zitadel OWNER zitadel;
	EOSQL
#: fails
set -e
if ! pg_isready -h db; then
  echo "not ready"; exit 1
fi
psql -h db -c "CREATE DATABASE app"
#: duplicates
psql -v ON_ERROR_STOP=1 -c "UPDATE accounts SET balance = balance + 100 WHERE id = 7"
#: duplicates
mysql app -e 'UPDATE counters SET runs=runs+1'
#: duplicates
psql -c "UPDATE posts SET title = title || ' (old)'"
#: safe
psql -c "UPDATE posts SET title = lower(title)"
#: safe
psql -c "UPDATE posts SET views = 0, title = author || ' writes' WHERE id = 1"
#: safe
psql -c "UPDATE prices SET gross = net * 1.19"
#: destroys
psql -c "DELETE FROM users"
#: safe
psql -c "DELETE FROM users WHERE banned"
#: safe
psql -v ON_ERROR_STOP=1 <<'SQL'
BEGIN;
DELETE FROM roles;
INSERT INTO roles (id, name) VALUES (1, 'admin');
COMMIT;
SQL
#: safe
psql -c "DELETE FROM a USING b WHERE a.id = b.id"
#: safe hidden
result=$(mongosh --eval "db.adminCommand({setFeatureCompatibilityVersion: '7.0', confirm: true})" "$MONGO_URL") || {
  echo "not upgraded: $result"
  exit 0
}
echo done
#: fails
mongosh "$MONGO_URL" --eval 'db.getSiblingDB("$external").runCommand({createUser: "CN=app", roles: []})'
#: safe
set -e
mongosh "$MONGO_URL" --eval 'db.getUser("app") || db.runCommand({createUser: "app", pwd: "x", roles: []})'
#: unknown hidden bash
set -euo pipefail
aws s3 cp "s3://backups/app.sql.gz" - | gunzip | psql "$URL"
#: unknown bash
set -euo pipefail
aws s3 cp "s3://backups/app.sql.gz" - | gunzip | psql -v ON_ERROR_STOP=1 "$URL"
#: unknown hidden
set -e
psql "$URL" < /backup/app.sql
#: unknown hidden
set -e
psql "$URL" -f /migrations/001.sql
#: unknown
set -e
psql "$URL" -tAf /queries/size.sql | grep -q 0
#: safe bash
set -e
lock() { psql postgres -c "CREATE DATABASE $LOCK"; }
unlock() { psql postgres -c "DROP DATABASE $LOCK"; }
if ! psql "$LOCK" -c 'SELECT 1' >/dev/null 2>&1; then lock; fi
unlock
#: destroys bash
set -e
psql postgres -c "DROP DATABASE app"
psql postgres -c "CREATE DATABASE app"
#: safe
RESULT=$(psql -c "CREATE DATABASE app" 2>&1)
if [[ "$RESULT" == *"already exists"* ]]; then echo there; fi
#: duplicates hidden
psql -c "DELETE FROM a WHERE id=1"
psql -c "INSERT INTO b VALUES (1)"
#: unknown hidden
psql <<SQL
DELETE FROM client WHERE client_id = 'x';
INSERT INTO client (client_id) VALUES ('x');
INSERT INTO client_scope (client_id, scope) VALUES ('x', 'openid');
SQL
#: unknown hidden
mysql -e "DELETE FROM client WHERE client_id = 'x'" 
mysql -e "INSERT INTO client (client_id) VALUES ('x')"
mysql -e "INSERT INTO client_scope (client_id, scope) VALUES ('x', 'openid')"
