// What the worker threads run: each export is a computation of the port, by its name.
export {}
