"""Alembic's way in: the migrations run on the connection that they are given."""

from alembic import context

from aachen.server.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
