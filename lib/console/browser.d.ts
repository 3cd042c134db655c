/** The bundler merges imported style sheets into one file. */
declare module '*.css';
