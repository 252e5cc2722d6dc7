"""School: what turns a package about a protocol into a course.

Here live the tools of the people who write, teach and grade the lessons: notebooks run as tests,
teacher's notes, exercises made from their solutions, and the snippets a reader takes home. The
floor may use everything below it, and nothing below ever imports it. It knows no protocol of its
own: what is right on the wire is said further down, once.
"""
