-- A record of custody is a little longer than what PostgreSQL keeps in one piece by default. It is written twice and
-- hardly ever read, so it is kept in its row as it is: to pack it and to store it aside costs more than all else of it.
alter table relay_request set (toast_tuple_target = 8160);
alter table custody_entry set (toast_tuple_target = 8160);
