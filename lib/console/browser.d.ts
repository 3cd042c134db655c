/** Styles that a module brings with it: the bundler puts them into one file. */
declare module '*.css';
