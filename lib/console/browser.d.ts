/** Style sheets that modules import; the bundler joins them into one file. */
declare module '*.css';
