PYTHON ?= python3
export PYTHONUTF8 = 1
# Without bytecode files every process compiles again all that it imports: half of its start.
unexport PYTHONDONTWRITEBYTECODE
BENCHES = $(basename $(notdir $(wildcard tests/bench/[a-z]*.py)))

.PHONY: help up dev fmt revision test quick test-profile mutants growth check-sql check-python check-web walk soak parity bench clean

help:
	@echo "make up     安装所需的一切并启动，直到 Ctrl-C"
	@echo "make dev    同上，代码一改就重新启动，网页由 Vite 从源码给出；装上检查提交说明的钩子"
	@echo "make fmt    整理 Python 和网页的格式、引用的次序"
	@echo "make revision m=\"Goods have a colour\"  写出数据库结构的下一个版本"
	@echo "make test   安装所需的一切，运行全部检查和测试"
	@echo "make quick  静态检查，以及改动能影响到的测试"
	@echo "make check-python、check-sql、check-web  只做其中一种静态检查"
	@echo "make test-profile  运行一遍 make test，打印时间花在哪里"
	@echo "make mutants  在副本里逐个埋下 60 个错误，看测试是否都能发现"
	@echo "make growth  多声明 60 种类型时测试多花多少处理器时间"
	@echo "make walk   在浏览器里以三种角色走遍全部嵌入报表，截图放在 ERP_SCREENSHOTS"
	@echo "make soak   对每个接口都发送不合格式的请求（make test 只取其中一部分）"
	@echo "make parity 在 DuckDB 和 Spark 上各构建一遍报表的模型，逐行比较"
	@echo "make bench  运行性能测量"
	@echo "make clean  删除安装和构建的结果（不动数据目录）"

up:
	@exec $(PYTHON) -m api.launch.install up

dev:
	@exec $(PYTHON) -m api.launch.install dev

fmt:
	@$(PYTHON) -m api.launch.install
	.venv/bin/ruff check --fix --quiet .
	.venv/bin/ruff format .
	npm --prefix web run format

revision:
	@$(PYTHON) -m api.launch.install
	@.venv/bin/erp revision "$(m)"

test:
	@$(PYTHON) -m api.launch.install --browser
	@$(MAKE) --no-print-directory --jobs=3 check-sql check-python check-web
	# One more than cores: what starts products, browsers and Superset waits for them half of its time.
	.venv/bin/pytest --numprocesses 3 --dist loadfile

quick:
	@$(PYTHON) -m api.launch.install
	@.venv/bin/python -m tests.quick

test-profile:
	@$(PYTHON) -m api.launch.install --browser
	@.venv/bin/python -m tests.profile

mutants:
	@$(PYTHON) -m api.launch.install
	@.venv/bin/python -m tests.mutation

growth:
	@$(PYTHON) -m api.launch.install
	@.venv/bin/python -m tests.growth

check-sql:
	.venv/bin/sqlfluff lint --quiet transforms/models transforms/tests

check-python:
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/lint-imports --no-logo
	.venv/bin/mypy

check-web:
	npm --prefix web run check
	npm --prefix web test

walk:
	@$(PYTHON) -m api.launch.install --browser
	.venv/bin/pytest -m "walk or not walk" tests/e2e/test_frames.py

soak:
	@$(PYTHON) -m api.launch.install
	ERP_SOAK=1 .venv/bin/pytest tests/kit/test_fuzz.py

parity:
	@$(PYTHON) -m api.launch.install --parity
	.venv/bin/python -m tests.parity

bench:
	@$(PYTHON) -m api.launch.install
	@missed=; for measure in $(BENCHES); do echo "— $$measure"; \
		.venv/bin/python -m tests.bench.$$measure || missed="$$missed $$measure"; done; \
		test -z "$$missed" || { echo "未达标或失败：$$missed"; exit 1; }

clean:
	rm -rf .venv .tools transforms/target reports/.venv tests/parity/.venv web/node_modules web/dist
