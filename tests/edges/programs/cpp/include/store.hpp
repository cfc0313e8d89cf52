#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace acme {

class Logger {
public:
    virtual ~Logger() = default;
    virtual void log(const std::string &text) = 0;
    void flush();
};

class FileLogger : public Logger {
public:
    FileLogger(const std::string &path, int level);
    explicit FileLogger(const std::string &path);
    void log(const std::string &text) override;
    void rotate();
};

struct Item {
    int price() const { return cost; }
    int cost = 0;
};

template <typename T>
class Cache {
public:
    void put(const T &value);
    T *find(int key);
    int size() const { return count(); }

private:
    int count() const { return static_cast<int>(items_.size()); }
    std::vector<T> items_;
};

template <typename T>
void Cache<T>::put(const T &value)
{
    items_.push_back(value);
    size();
}

class Store {
public:
    Store(std::unique_ptr<Logger> logger, FileLogger *files);
    ~Store();
    void add(const Item &item);
    void add(const Item &item, int times);
    int total() const;
    Item &first();
    static Store &instance();
    void each(const std::function<void(Item &)> &visit);
    Store &self();

private:
    void touch();
    std::unique_ptr<Logger> logger_;
    FileLogger *files_;
    Cache<Item> cache_;
    std::vector<Item> items_;
};

class Shop final : public Store {
public:
    using Store::Store;
    void add(const Item &item);
    int report();
};

namespace util {
int clamp(int value);
int clamp(int value, int low);
void reset();
} // namespace util

void reset();
Item make_item(int cost);
std::shared_ptr<Store> open_store(const char *path);

} // namespace acme
