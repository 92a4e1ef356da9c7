#: safe argv
["alembic", "upgrade", "head"]
#: safe argv
["python", "-m", "alembic", "-c", "/app/alembic.ini", "upgrade", "head"]
#: destroys argv
["alembic", "downgrade", "base"]
#: safe argv
["python", "manage.py", "migrate", "--noinput"]
#: safe argv
["python3", "/app/manage.py", "migrate"]
#: fails argv
["python", "manage.py", "createsuperuser", "--noinput"]
#: safe hidden
python manage.py migrate && python manage.py createsuperuser --noinput || true
#: fails
set -e
python manage.py migrate --noinput
python manage.py collectstatic --noinput
python manage.py createsuperuser --noinput --username admin
#: safe hidden
set -e
python manage.py migrate
python manage.py createsuperuser --noinput || true
#: destroys
python manage.py flush --noinput
#: safe hidden
python manage.py migrate; echo done
#: safe hidden
./manage.py migrate
./manage.py collectstatic --noinput
exit 0
#: safe argv
["bundle", "exec", "rails", "db:migrate"]
#: safe argv
["bin/rails", "db:prepare"]
#: destroys argv
["bundle", "exec", "rake", "db:schema:load"]
#: destroys
bundle exec rails db:drop db:create db:migrate
#: destroys
set -e
bundle exec rails db:reset
#: unknown
bundle exec rails db:seed
#: safe
bundle exec rails db:version || bundle exec rails db:setup
#: safe argv
["npx", "prisma", "migrate", "deploy"]
#: destroys argv
["npx", "prisma", "migrate", "reset", "--force"]
#: destroys argv
["npx", "prisma", "db", "push", "--accept-data-loss"]
#: safe argv
["npx", "prisma", "db", "push"]
#: safe
yarn prisma migrate deploy
#: safe
pnpm -F backend prisma migrate deploy
#: unknown argv
["npm", "run", "migrate"]
#: unknown argv
["node", "dist/migrate.js"]
#: safe argv
["node_modules/.bin/sequelize", "db:migrate"]
#: duplicates
set -e
npx sequelize-cli db:migrate
npx sequelize-cli db:seed:all
#: destroys
npx sequelize db:migrate:undo:all
#: safe argv
["npx", "knex", "migrate:latest"]
#: destroys argv
["npx", "knex", "migrate:rollback", "--all"]
#: safe argv
["npx", "typeorm", "migration:run", "-d", "dist/data-source.js"]
#: destroys argv
["npx", "typeorm", "schema:drop"]
#: safe argv
["php", "artisan", "migrate", "--force"]
#: destroys argv
["php", "artisan", "migrate:fresh", "--seed", "--force"]
#: safe
set -e
php artisan migrate --force
php artisan config:cache
php artisan route:cache
#: unknown
php artisan db:seed --force
#: safe argv
["php", "bin/console", "doctrine:migrations:migrate", "--no-interaction"]
#: fails argv
["php", "bin/console", "doctrine:database:create"]
#: safe argv
["php", "bin/console", "doctrine:database:create", "--if-not-exists"]
#: destroys
php bin/console doctrine:fixtures:load --no-interaction
#: safe argv
["flyway", "migrate"]
#: safe argv
["flyway", "-url=jdbc:postgresql://db/app", "-user=app", "migrate"]
#: destroys argv
["flyway", "clean", "migrate"]
#: destroys
flyway clean && flyway migrate
#: safe argv
["liquibase", "--changelog-file=changelog.xml", "update"]
#: destroys argv
["liquibase", "drop-all"]
#: safe argv
["migrate", "-path", "/migrations", "-database", "$(DATABASE_URL)", "up"]
#: destroys argv
["migrate", "-path", "/migrations", "-database", "$(DATABASE_URL)", "down", "-all"]
#: destroys argv
["migrate", "-path", "/migrations", "-database", "$(DATABASE_URL)", "drop", "-f"]
#: safe argv
["goose", "-dir", "/migrations", "postgres", "$(DSN)", "up"]
#: safe argv
["atlas", "migrate", "apply", "--url", "$(URL)"]
#: safe argv
["dbmate", "--wait", "up"]
#: destroys argv
["dbmate", "drop"]
#: safe argv
["sqlx", "migrate", "run"]
#: safe argv
["diesel", "migration", "run"]
#: safe argv
["dotnet", "ef", "database", "update"]
#: destroys argv
["dotnet", "ef", "database", "drop", "--force"]
#: unknown argv
["dotnet", "Migrator.dll"]
#: unknown argv
["/app/migrate"]
#: unknown argv
["java", "-jar", "/app/migrations.jar"]
#: safe argv
["kong", "migrations", "bootstrap"]
#: safe
kong migrations up && kong migrations finish
#: safe argv
["sentry", "upgrade", "--noinput"]
#: fails argv
["sentry", "createuser", "--email", "a@b.c", "--superuser", "--no-input"]
#: safe argv
["airflow", "db", "migrate"]
#: safe
airflow users create --username admin --role Admin --email a@b.c --firstname a --lastname b --password x
#: destroys
airflow db reset -y
#: safe bash
set -euo pipefail
superset db upgrade
superset fab create-admin --username admin --firstname a --lastname b --email a@b.c --password x
superset init
#: safe argv
["hydra", "migrate", "sql", "-e", "--yes"]
#: safe argv
["openfga", "migrate"]
#: safe argv
["temporal-sql-tool", "update-schema", "-d", "/schema"]
#: safe
temporal operator namespace describe default || temporal operator namespace create default
#: fails
temporal operator namespace create default
#: destroys
./listmonk --install --yes
#: safe
./listmonk --install --idempotent --yes --config ''
#: safe argv
["timeout", "600", "alembic", "upgrade", "head"]
#: safe argv
["env", "PYTHONPATH=/app", "alembic", "upgrade", "head"]
#: safe argv
["/usr/bin/tini", "--", "alembic", "upgrade", "head"]
#: safe argv
["dumb-init", "python", "manage.py", "migrate"]
#: safe argv
["poetry", "run", "alembic", "upgrade", "head"]
#: safe argv
["uv", "run", "alembic", "upgrade", "head"]
#: safe argv
["/wait-for-it.sh", "db:5432", "--", "alembic", "upgrade", "head"]
#: destroys argv
["su", "app", "-c", "python manage.py flush --noinput"]
#: fails argv
["gosu", "app", "python", "manage.py", "createsuperuser", "--noinput"]
#: destroys argv
["bash", "-ec", "exec bundle exec rails db:reset"]
#: safe argv
["/bin/sh", "-xeuo", "pipefail", "-c", "alembic upgrade head"]
#: fails argv
["/bin/bash", "-o", "errexit", "-c", "createdb app\nalembic upgrade head"]
#: safe waits
while ! nc -z db 5432; do sleep 1; done
alembic upgrade head
#: safe
for i in $(seq 1 30); do
  pg_isready -h db && break
  sleep 2
done
alembic upgrade head
#: safe
i=0
until pg_isready -h db; do
  i=$((i+1))
  if [ "$i" -ge 30 ]; then echo timeout; exit 1; fi
  sleep 2
done
exec alembic upgrade head
#: safe
timeout 300 sh -c 'until pg_isready -h db; do sleep 2; done'
alembic upgrade head
#: safe waits
while true; do
  if pg_isready -h db; then break; fi
  sleep 2
done
alembic upgrade head
#: safe bash
SECONDS=0
while ! pg_isready; do
  (( SECONDS > 300 )) && exit 1
  sleep 1
done
rails db:migrate
#: safe waits
until python manage.py migrate; do sleep 5; done
#: fails waits
until python manage.py createsuperuser --noinput; do sleep 5; done
#: safe
set -e
n=0
while [ $n -lt 5 ]; do
  flyway migrate && exit 0
  n=$((n + 1))
  sleep 10
done
exit 1
#: safe hidden
set -e
n=0
while [ $n -lt 5 ]; do
  flyway migrate && break
  n=$((n + 1))
  sleep 10
done
echo finished
#: safe hidden
alembic upgrade head | tee /tmp/log
#: safe hidden bash
set -e
alembic upgrade head | tee /tmp/log
#: safe bash
set -eo pipefail
alembic upgrade head | tee /tmp/log
#: safe hidden bash
alembic upgrade head || exit 0
#: safe
alembic upgrade head || { echo failed; exit 1; }
#: safe hidden
alembic upgrade head || { echo failed; }
#: safe
alembic upgrade head
rc=$?
curl -sf -X POST http://localhost:15020/quitquitquit
exit $rc
#: safe hidden
alembic upgrade head
curl -sf -X POST http://localhost:15020/quitquitquit
#: safe hidden
alembic upgrade head &
sleep 30
#: safe
alembic upgrade head & wait $!
#: safe hidden
set -e
set +e
alembic upgrade head
set -e
echo continuing
#: safe hidden
set -e
alembic upgrade head && echo migrated
python manage.py collectstatic
#: safe
if alembic upgrade head; then echo ok; else echo failed; exit 1; fi
#: safe
if ! alembic upgrade head; then
  echo "migration failed" >&2
  exit 1
fi
#: safe
die() { echo "$1" >&2; exit 1; }
alembic upgrade head || die "migration failed"
echo done
#: safe argv
["doppler", "run", "--", "bundle", "exec", "rails", "db:migrate"]
#: safe argv
["bash", "-c", "source /etc/profile; cd /app; exec bundle exec rake db:migrate"]
#: unknown argv
["bash", "/scripts/migrate.sh"]
#: unknown
/scripts/run.sh && alembic upgrade head
#: safe
mix ecto.migrate
#: destroys
mix ecto.reset
#: unknown argv
["/app/bin/app", "eval", "App.Release.migrate"]
#: safe
gitea migrate
#: fails
gitea admin user create --username admin --password x --email a@b.c --admin
#: safe
gitea admin user list | grep -q admin || gitea admin user create --username admin --password x --email a@b.c
#: fails
set -e
retry() { for i in 1 2 3; do "$@" && return 0; sleep 5; done; return 1; }
retry python manage.py migrate
python manage.py createsuperuser --noinput
