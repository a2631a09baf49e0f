# The images of docker-compose.yml: core (API, jobs, refresh), reports (Superset), web (nginx with the built shell).

FROM node:22-slim AS web-build
WORKDIR /app/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN npm run build

FROM python:3.11-slim AS python
# Compiled here: who runs it may not write there, and every health check is a process of its own.
ENV PYTHONUNBUFFERED=1 PYTHONUTF8=1 UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir uv && useradd --system --create-home --uid 10001 erp && install -d -o erp /data
WORKDIR /app
ENV ERP_DATA_DIR=/data

FROM python AS core
COPY pyproject.toml uv.lock README.md ./
RUN uv sync --frozen --no-dev --no-install-project
COPY api api
COPY warehouse warehouse
COPY docs docs
COPY transforms transforms
COPY reports reports
RUN uv sync --frozen --no-dev && .venv/bin/python -m compileall -q api warehouse reports && install -d -o erp transforms/target
COPY --from=web-build /app/web/dist web/dist
ENV PATH=/app/.venv/bin:$PATH
USER erp
CMD ["erp", "serve"]

FROM python AS reports
COPY reports/pyproject.toml reports/uv.lock reports/
RUN uv sync --frozen --no-dev --project reports
COPY api api
COPY reports reports
RUN reports/.venv/bin/python -m compileall -q -x '/\.venv/' api reports
ENV PATH=/app/reports/.venv/bin:$PATH
USER erp
CMD ["python", "-m", "reports"]

FROM nginx:1.29-alpine AS web
COPY deploy/nginx.conf /etc/nginx/conf.d/default.conf
COPY --from=web-build /app/web/dist /usr/share/nginx/html
