/** Type of imported style sheets. The bundler merges them into one file. */
declare module '*.css';
